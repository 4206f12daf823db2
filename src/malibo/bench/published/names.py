"""Names in print: of files of curves, and of the search spaces of HPO-B."""

from __future__ import annotations

from collections.abc import Sequence

_WORDS = {"hpob": "HPO-B", "nap": "NAP", "optformer": "OptFormer"}

_LEARNERS = {  # by the parameters that HPO-B lists for a search space
    "4796": "decision tree",
    "5527": "SVM",
    "5636": "decision tree",
    "5859": "decision tree",
    "5860": "elastic net",
    "5889": "random forest",
    "5891": "SVM",
    "5906": "XGBoost",
    "5965": "random forest",
    "5970": "elastic net",
    "5971": "XGBoost",
    "6766": "elastic net",
    "6767": "XGBoost",
    "6794": "random forest",
    "7607": "random forest",
    "7609": "random forest",
}


def space_title(search_space: str) -> str:
    """What is tuned there, if it is known, and the number."""
    learner = _LEARNERS.get(search_space)
    return f"{search_space}: {learner}" if learner else search_space


def short_name(files: Sequence[str]) -> str:
    """A name for files out of their stems: no word twice."""
    words = [word for stem in files for word in _split(stem)]
    return "-".join(dict.fromkeys(word.lower() for word in words))


def plain_words(files: Sequence[str]) -> str:
    """The same as words: "HPO-B discrete with NAP" for hpob_discrete and hpob_discrete_nap."""
    first, *others = [_split(stem) for stem in files]
    parts = [first]
    for words in others:
        new = [word for word in words if not any(word in part for part in parts)]
        parts.append(new or words)
    return " with ".join(" ".join(_WORDS.get(word, word) for word in part) for part in parts)


def _split(stem: str) -> list[str]:
    return stem.replace("-", "_").replace(" ", "_").strip("_").split("_")
