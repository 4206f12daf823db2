"""Pictures of a tuning, of a model, and of comparisons (extra ``plots``).

Every function returns a matplotlib ``Figure`` of its own, to be shown, changed or saved:
``history_figure(optimizer).savefig("history.png", dpi=150)``. Nothing of ``pyplot`` is touched.
"""

from malibo.plots.acquisition import acquisition_figure
from malibo.plots.features import features_figure
from malibo.plots.files import check_path as check_path
from malibo.plots.files import save
from malibo.plots.history import history_figure
from malibo.plots.regret import regret_figure
from malibo.plots.similarity import similarity_figure
from malibo.plots.trust import trust_figure

__all__ = [
    "acquisition_figure",
    "features_figure",
    "history_figure",
    "regret_figure",
    "save",
    "similarity_figure",
    "trust_figure",
]
