"""Relevance: parameters along which the task does not vary are found out, if there are results."""

from __future__ import annotations

import numpy as np

from malibo import Categorical, Float, MetaModel, Space
from malibo.explain.relevance import _STRETCHES, processes
from malibo.observations import Observations

PLANE = Space(x=Float(0, 1), y=Float(0, 1))


def test_a_parameter_has_its_stretch_in_all_its_columns() -> None:
    space = Space(
        kind=Categorical(["a", "b", "c"]),
        rate=Float(0, 1, when={"kind": "a"}),
        size=3,
        z=Float(0, 1),
    )
    codes = space.sample(np.random.default_rng(0), 20)
    seen = Observations(codes, np.arange(20.0), codes[:0])
    for process in processes(MetaModel.uninformed(space), seen, 0.0, np.random.default_rng(1)):
        assert process.relevance is not None
        assert process.relevance.shape == (space.dimension,)
        for columns in ([0, 1, 2], [3, 4]):
            assert len(set(process.relevance[columns])) == 1


def test_likely_stretches_are_kept() -> None:
    codes = PLANE.sample(np.random.default_rng(0), 30)
    seen = Observations(codes, np.sin(9 * codes[:, 0]), codes[:0])
    found = processes(MetaModel.uninformed(PLANE), seen, 0.0, np.random.default_rng(1))
    assert len(found) == 6
    for process in found:
        assert process.relevance is not None
        assert process.relevance[0] > process.relevance[1]


def test_without_results_any_stretch_is_as_good() -> None:
    cold = MetaModel.uninformed(PLANE)
    drawn = [
        process.relevance
        for seed in range(15)
        for process in processes(cold, Observations.none(2), 0.0, np.random.default_rng(seed))
    ]
    values, counts = np.unique(np.array(drawn), return_counts=True)
    assert values.tolist() == _STRETCHES.tolist()
    assert counts.min() > 0.5 * counts.mean()


def test_many_parameters_take_few_sweeps_but_several_and_a_fixed_one_none() -> None:
    space = Space({f"x{i}": Float(0, 1) for i in range(40)}, fixed=1)
    found = processes(
        MetaModel.uninformed(space), Observations.none(41), 0.0, np.random.default_rng(0)
    )
    assert len(found) == 4  # one alone would say nothing of what is not known
    nothing = processes(
        MetaModel.uninformed(Space(fixed=1)), Observations.none(1), 0.0, np.random.default_rng(0)
    )
    assert len(nothing) == 6
