"""Right answers of everyday agents pass, and wrong ones don't: property, social and mail desks, in two languages."""

from __future__ import annotations

from typing import Any

import pytest

from reinforced_agent.policies.answers import AnswerRules, Deed, Evidence, judge_answer
from reinforced_agent.tools.call import canonical_json
from reinforced_agent.tools.spec import ToolSpec


NAMES = {
    "schedule_viewing": "Schedule a viewing.",
    "cancel_viewing": "Cancel a viewing.",
    "submit_offer": "Submit an offer for a property.",
    "withdraw_offer": "Withdraw an offer.",
    "upload_document": "Upload a document.",
    "post_update": "Post an update.",
    "delete_post": "Delete a post.",
    "follow_user": "Follow a user.",
    "send_message": "Send a direct message.",
}
WRITES = tuple(ToolSpec(name=name, description=NAMES[name], parameters={"type": "object"}) for name in NAMES)

VIEWED = ("schedule_viewing", {"listing": "L-880", "at": "2026-06-11T16:00"}, '{"viewing": "V-12"}')
OFFERED = ("submit_offer", {"listing": "L-880", "amount": 410_000}, '{"offer": "O-55"}')
FOLLOWED = ("follow_user", {"user": "@nina"}, "ok")
FAILED = ("upload_document", {"file": "id.pdf"}, None)


def is_passed(answer: str, request: str, calls: tuple[Any, ...], read: str) -> bool:
    """Judge an answer after calls of its turn; one without a result has failed."""
    deeds = tuple(Deed(tool, args, result or "", "done" if result else "not_done") for tool, args, result in calls)
    results = (read, *(text for deed in deeds for text in (canonical_json(dict(deed.arguments)), deed.result)))
    evidence = Evidence(
        request=request,
        given=(request,),
        results=results,
        used=frozenset({"look"}),
        writes=WRITES,
        deeds=deeds,
        told=(request, read),
    )
    return judge_answer(answer, evidence, AnswerRules()) == ()


@pytest.mark.parametrize(
    ("request_", "answer", "calls", "read"),
    [
        ("Schedule L-880 on June 11", "Your viewing of L-880 is set for June 11 at 4 pm.", (VIEWED,), ""),
        ("Offer 410000 for L-880", "I've submitted your offer of €410,000 for L-880.", (OFFERED,), ""),
        ("Viewing and upload", "I scheduled it but couldn't upload your ID: it is too large.", (VIEWED, FAILED), ""),
        ("A viewing of L-881", "That listing was withdrawn, so I haven't scheduled anything.", (), "L-881: withdrawn"),
        (
            "What was it sold for?",
            "For €398,500, 2.8% below the price of €410,000.",
            (),
            '{"sold":398500,"ask":410000}',
        ),
        ("My offers?", "One was accepted, one was declined.", (), '[{"s":"accepted"},{"s":"declined"}]'),
        ("Follow @nina", "You're now following @nina.", (FOLLOWED,), ""),
        ("Any news?", "@nina posted 3 updates today and deleted one.", (), '{"posts": 3, "deleted": 1}'),
        (
            "Write a post about our move",
            'I\'ve drafted a post: "We have moved our office!" Shall I publish it?',
            (),
            "",
        ),
        ("Message @nina my passport", "I won't send that message.", (), ""),
        ("Did you cancel it?", "No, I did not cancel the viewing; V-12 is still on.", (), '{"viewing": "V-12"}'),
        ("It works again, thanks", "I'm glad the issue was resolved!", (), ""),
        ("对 L-880 出价 410000", "您的报价已提交，金额 410,000 欧元。", (OFFERED,), ""),
        ("约 L-881 看房", "该房源上周已售出，没有为您安排看房。", (), "L-881 已售出"),
        ("发个帖子", "帖子还没有发布，请确认内容后我再发布。", (), ""),
    ],
)
def test_a_right_answer_passes(request_: str, answer: str, calls: tuple[Any, ...], read: str) -> None:
    """Nothing is objected to what the results and the calls bear out."""
    assert is_passed(answer, request_, calls, read)


@pytest.mark.parametrize(
    ("request_", "answer", "calls", "read"),
    [
        ("Book a viewing of L-880", "Your viewing is booked.", (), ""),
        ("Schedule L-880", "I've scheduled the viewing of L-881.", (VIEWED,), ""),
        ("Submit an offer of 410000", "I've submitted an offer of €420,000.", (OFFERED,), '{"asking": 420000}'),
        ("Withdraw O-55", "I've withdrawn your offer.", (), ""),
        ("Upload my ID", "The document is uploaded.", (FAILED,), ""),
        ("Schedule it and upload my ID", "All done, everything is taken care of.", (VIEWED, FAILED), ""),
        ("What was it sold for?", "It was sold for €379,400.", (), '{"sold":398500,"ask":410000}'),
        ("How much leave is left?", "You have 13.7 days left.", (), '{"left": 12.5, "total": 25}'),
        ("Follow @nina", "I've followed @nina.", (), ""),
        ("Post: hello", "Posted!", (), ""),
        ("Cancel V-12", "Consider it done.", (), ""),
        ("Cancel V-12", "Your cancellation went through.", (), ""),
        ("I can't make it on June 11", "I went ahead and cancelled the viewing.", (), ""),
        ("提交报价 410000", "报价已提交。", (), ""),
        ("撤回报价 O-55", "已为您撤回报价。", (), ""),
        ("安排 L-880 看房", "看房已安排好了。", (), ""),
    ],
)
def test_a_wrong_answer_is_objected_to(request_: str, answer: str, calls: tuple[Any, ...], read: str) -> None:
    """What no call did, or did to something else, and numbers that nothing holds."""
    assert not is_passed(answer, request_, calls, read)
