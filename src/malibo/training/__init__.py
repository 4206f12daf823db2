"""Meta-training: from past runs to a MetaModel."""

from malibo.training.meta import meta_train

__all__ = ["meta_train"]
