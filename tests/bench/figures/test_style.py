"""How methods look: different from each other, and the same everywhere."""

from __future__ import annotations

from malibo.bench.figures.style import DASH_DOT_DOT, PUBLISHED, STYLES, style

OPTFORMER = [name for name in PUBLISHED if "optformer" in name or name.islower()]


def test_methods_of_one_comparison_look_different() -> None:
    discrete = ["Random", "GP", "DGP", "DNGO", "BOHAMIANN", "TST", "TAF", "RGPE", "FSBO", "FSBO2"]
    for group in (
        [*discrete, "NAP", "OptFormer-NAP", "malibo"],
        [*OPTFORMER, "gp", "ablr", "fsbo"],
    ):
        looks = {(style(name).colour, style(name).line) for name in group}
        assert len(looks) == len(group)
        assert len({style(name).label for name in group}) == len(group)


def test_a_marked_method_looks_like_itself_with_another_line() -> None:
    marked = style("RGPE (published)")
    assert marked.label == "RGPE (published)"
    assert (marked.colour, marked.line) == (style("RGPE").colour, DASH_DOT_DOT)
    assert style("GP").colour == style("gp").colour


def test_an_unknown_method_keeps_its_look() -> None:
    assert style("mine") == style("mine")
    assert style("mine").label == "mine"
    assert len({(style(name).colour, style(name).line) for name in "abcdefgh"}) > 4
    assert not STYLES.keys() & PUBLISHED.keys()
