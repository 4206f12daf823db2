"""Words for files and search spaces."""

from __future__ import annotations

from malibo.bench.published.names import plain_words, short_name, space_title


def test_names_of_files_become_words() -> None:
    assert short_name(["hpob_discrete", "hpob_discrete_nap"]) == "hpob-discrete-nap"
    assert plain_words(["hpob_discrete", "hpob_discrete_nap"]) == "HPO-B discrete with NAP"
    assert plain_words(["mine", "yours"]) == "mine with yours"
    assert plain_words(["a_b", "b_a"]) == "a b with b a"
    assert space_title("6767") == "6767: XGBoost"
    assert space_title("12") == "12"
