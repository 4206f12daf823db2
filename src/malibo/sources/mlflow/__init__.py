"""Past runs from MLflow: stores → runs → tasks."""

from malibo.sources.mlflow.reading import read_runs

__all__ = ["read_runs"]
