"""Meta-training: from past runs to a MetaModel. Only this package imports JAX and optax."""

from malibo.training.meta import meta_train

__all__ = ["meta_train"]
