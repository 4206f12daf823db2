"""How far the past is trusted before anything is observed."""

from __future__ import annotations

from malibo.config import SuggestConfig
from malibo.metamodel import MetaModel


def prior_trust(model: MetaModel, config: SuggestConfig | None = None) -> float:
    """As when suggesting with these options; 0 where there is no past to trust."""
    return (config or SuggestConfig()).trust if model.informed else 0.0
