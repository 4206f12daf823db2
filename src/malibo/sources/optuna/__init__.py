"""Past runs from Optuna: storages → trials → studies, as tasks."""

from malibo.sources.optuna.studies import read_studies

__all__ = ["read_studies"]
