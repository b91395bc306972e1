"""Names of persons and tenants are compared in one way."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reinforced_agent.tools.names import canonical_name, same_name


@pytest.mark.parametrize("written", ["Ann", "ann ", "\tANN\n", "\uff21nn", "\u3000ann"])
def test_one_person_is_one_however_the_name_is_written(written: str) -> None:
    """Capitals, white space and compatible letters make nobody a second person."""
    assert same_name(written, "ann")


@pytest.mark.parametrize("other", ["anna", "an n", "", "änn"])
def test_other_names_are_other_persons(other: str) -> None:
    """What is left of a name tells persons apart."""
    assert not same_name(other, "ann")


def test_names_of_white_space_alone_name_nobody() -> None:
    """They are as good as none."""
    assert canonical_name(" \u3000\t") == ""


@given(st.text())
def test_the_form_compared_is_its_own_form(name: str) -> None:
    """Comparing twice changes nothing."""
    assert canonical_name(canonical_name(name)) == canonical_name(name)
