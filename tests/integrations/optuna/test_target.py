"""The space in which a study is tuned."""

from __future__ import annotations

import pytest

from malibo import Categorical, Float, Int, Space
from malibo.integrations.optuna.target import active, differences, target_space

BASE = Space(
    kind=Categorical(["a", "b"]),
    x=Float(0, 1),
    momentum=Float(0, 1, when={"kind": "b"}),
)
ASKED = {"kind": Categorical(["a", "b"]), "x": Float(0, 1)}


def test_nothing_known_is_no_space() -> None:
    assert target_space(None, {}, []) is None


def test_before_any_trial_it_is_what_the_past_had() -> None:
    assert target_space(BASE, {}, []) == BASE


def test_a_branch_that_was_not_taken_yet_stays() -> None:
    assert target_space(BASE, ASKED, [{"kind": "a", "x": 0.5}]) == BASE


@pytest.mark.parametrize(
    ("whole", "left"),
    [
        ([{"kind": "b", "x": 0.5}], ["kind", "x"]),  # momentum could have been asked for
        ([{"kind": "a"}], ["kind", "momentum"]),  # and x in any case
    ],
)
def test_what_could_have_been_asked_for_and_was_not_is_left_out(
    whole: list[dict[str, object]], left: list[str]
) -> None:
    asked = {name: BASE[name] for name in whole[0]}
    space = target_space(BASE, asked, whole)
    assert space is not None
    assert list(space) == left


def test_what_is_asked_for_counts_and_new_ones_come_last() -> None:
    asked = {"new": Int(1, 3), "x": Float(-1, 5), "kind": Categorical(["a", "b"])}
    space = target_space(BASE, asked, [{"kind": "a", "x": 1.0, "new": 2}])
    assert space == Space(
        kind=Categorical(["a", "b"]),
        x=Float(-1, 5),
        momentum=BASE["momentum"],
        new=Int(1, 3),
    )


def test_a_condition_that_trials_contradict_is_replaced_by_theirs() -> None:
    asked = {**ASKED, "momentum": Float(0, 1)}
    whole = [{"kind": "a", "x": 0.5, "momentum": 0.1}, {"kind": "b", "x": 0.1}]
    space = target_space(BASE, asked, whole)
    assert space is not None
    assert space["momentum"].when == {"kind": ("a",)}


def test_a_condition_whose_parent_has_other_values_now_goes() -> None:
    asked = {"kind": Categorical(["c", "d"]), "x": Float(0, 1)}
    space = target_space(BASE, asked, [])
    assert space is not None
    assert space["momentum"].when == {}


def test_without_a_past_branches_are_inferred() -> None:
    asked = {"n": Int(1, 3), "second": Float(0, 1)}
    whole: list[dict[str, float]] = [{"n": 1}, {"n": 3, "second": 0.2}]
    space = target_space(None, asked, whole)
    assert space is not None
    assert space["second"].when == {"n": (3,)}  # 2 lies between: as the lower neighbour


def test_active_needs_all_parents() -> None:
    parameter = Float(0, 1, when={"a": 1, "b": ["x", "y"]})
    assert active(parameter, {"a": 1, "b": "y"})
    assert not active(parameter, {"a": 1})
    assert not active(parameter, {"a": 2, "b": "x"})
    assert active(Float(0, 1), {})


def test_differences_are_said_in_words() -> None:
    asked = {"x": Float(0, 2), "new": Int(1, 3)}
    assert differences(BASE, asked, {"x": 1.5, "new": 2}) == [
        "'x': range 0.0 to 1.0 in the past, 0.0 to 2.0 now: one scale over both",
        "'new' is new",
        "'kind' is not asked for",  # momentum's branch was not taken
    ]
    assert differences(BASE, ASKED, {"kind": "a", "x": 0.5}) == []


def test_what_only_trials_that_did_not_complete_had_is_left_out() -> None:
    """In which branch it is, they cannot tell; the completed ones would seem to lack a value."""
    asked = {**ASKED, "momentum": Float(0, 1)}
    completed = [{"kind": "a", "x": 0.5}]
    assert target_space(None, asked, completed) == Space(ASKED)
    assert target_space(None, asked, []) == Space(asked)  # nothing has completed: it may be needed
    assert target_space(BASE, asked, completed) == BASE  # its branch is known
    always = Space({**ASKED, "momentum": Float(0, 1)})
    assert target_space(always, asked, completed) == Space(ASKED)


def test_a_condition_keeps_what_its_parent_can_still_be() -> None:
    base = Space(layers=Int(1, 4), units=Int(16, 256, when={"layers": (3, 4)}))
    space = target_space(base, {"layers": Int(1, 3)}, [{"layers": 2}])
    assert space is not None
    assert space["units"].when == {"layers": (3,)}
    assert target_space(base, {"layers": Int(1, 2)}, [{"layers": 2}]) == Space(layers=Int(1, 2))
