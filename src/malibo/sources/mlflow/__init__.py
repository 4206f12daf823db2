"""Past runs from MLflow: stores → runs → tasks."""

from malibo.sources.mlflow.reading import read, read_runs

__all__ = ["read", "read_runs"]
