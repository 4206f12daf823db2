"""A bar with the progress of a study and its best value, on a terminal."""

from __future__ import annotations

from typing import Any

from tqdm import tqdm

from malibo.study import Study


class Progress:
    """Within ``with``, a bar over the trials that are told, also those of other processes."""

    def __init__(self, study: Study, trials: int, shown: bool) -> None:
        self._study = study
        disable = None if shown else True
        self._bar: Any = tqdm(total=trials, disable=disable, unit="trial", initial=self._told())

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def update(self) -> None:
        """Show what the study has come to."""
        if self._bar.disable:
            return
        best = self._study.best
        self._bar.n = self._told()
        self._bar.set_postfix(best="none yet" if best is None else best.value)

    def _told(self) -> int:
        return sum(trial.told for trial in self._study.trials)
