"""Automata for other programs: what is written is read back by hand and must give the same values."""

from __future__ import annotations

import math
import re
from collections import defaultdict

import numpy as np
import pytest
from hankelmatch import (
    Alphabet,
    ProbabilisticAutomaton,
    WeightedAutomaton,
    convert_automaton,
    openfst_symbols,
    read_pautomac,
    read_pautomac_model,
    read_pautomac_solution,
    to_dot,
    to_openfst_text,
    write_pautomac_model,
)
from hypothesis import given
from hypothesis import strategies as st

from .. import reference

COIN = WeightedAutomaton([1.0], [0.25], {"a": [[0.5]], "b": [[0.25]]})


def acceptor_value(text: str, string, semiring: str) -> float:
    """The weight of a string by the lines of OpenFst's format: the first line's state is the start."""
    weight_of = (lambda w: math.exp(-float(w))) if semiring == "log" else float
    arcs, finals, start = defaultdict(list), {}, None
    for line in text.splitlines():
        fields = line.split(" ")
        start = fields[0] if start is None else start
        if len(fields) == 2:
            finals[fields[0]] = weight_of(fields[1])
        else:
            source, target, label, weight = fields
            arcs[source, label].append((target, weight_of(weight)))
    states = {start: 1.0}
    for label in string:
        after = defaultdict(float)
        for state, value in states.items():
            for target, weight in arcs[state, label]:
                after[target] += value * weight
        states = after
    return sum(value * finals.get(state, 0.0) for state, value in states.items())


@given(st.integers(0, 4), st.integers(1, 3), st.integers(0, 99), st.text("abc", max_size=5))
def test_openfst_text_means_the_same(n_states, n_symbols, seed, string):
    automaton = reference.random_automaton(n_states, n_symbols, seed)
    value = automaton(string) if set(string) <= set(automaton.alphabet.labels) else 0.0
    text = to_openfst_text(automaton, semiring="real")
    assert acceptor_value(text, string, "real") == pytest.approx(value, abs=1e-12)
    positive = (
        WeightedAutomaton(
            np.abs(automaton.initial),
            np.abs(automaton.final),
            np.abs(list(automaton.transitions)),
            automaton.alphabet,
        )
        if n_states
        else automaton
    )
    value = positive(string) if set(string) <= set(automaton.alphabet.labels) else 0.0
    assert acceptor_value(to_openfst_text(positive), string, "log") == pytest.approx(value, rel=1e-9)


def test_a_single_start_state_needs_no_new_one():
    automaton = WeightedAutomaton([0.0, 1.0], [0.5, 0.0], {"a": [[0.5, 0.0], [0.25, 0.75]]})
    text = to_openfst_text(automaton, semiring="real")
    assert text == "1 0 a 0.25\n1 1 a 0.75\n0 0 a 0.5\n0 0.5\n"
    assert acceptor_value(text, "aa", "real") == automaton("aa")
    assert to_openfst_text(automaton, semiring="real", threshold=0.25) == "1 1 a 0.75\n0 0 a 0.5\n0 0.5\n"
    assert to_openfst_text(COIN).splitlines()[-1] == f"0 {-math.log(0.25)!r}"


def test_an_empty_acceptor_has_a_start_state():
    nothing = WeightedAutomaton([1.0, 0.0], [0.0, 1.0], {"a": np.zeros((2, 2))})
    for semiring in ("log", "real"):
        text = to_openfst_text(nothing, semiring=semiring)
        assert acceptor_value(text, "", semiring) == 0.0
        assert text.startswith("0 ")


def test_the_symbol_table_and_labels_that_cannot_stand():
    assert openfst_symbols(Alphabet([3, "x"])) == "<eps> 0\n3 1\nx 2\n"
    spaced = WeightedAutomaton([1.0], [1.0], {" ": [[0.5]], "b": [[0.5]]})
    with pytest.raises(ValueError, match="labels: ' ' cannot stand in OpenFst's text"):
        to_openfst_text(spaced)
    assert "<space>" in to_openfst_text(spaced, labels=["<space>", "b"])
    assert openfst_symbols(spaced.alphabet, ["<space>", "b"]).splitlines()[1] == "<space> 1"
    for labels, message in (
        (["<eps>", "b"], "labels: '<eps>' cannot stand"),
        (["", "b"], "labels: '' cannot stand"),
        (["b", "b"], "labels: two symbols have the same text"),
        (["b"], "labels: 1 for 2 symbols; give one for each"),
    ):
        with pytest.raises(ValueError, match=message):
            to_openfst_text(spaced, labels=labels)
    with pytest.raises(ValueError, match="labels: two symbols have the same text"):
        openfst_symbols(Alphabet([1, "1"]))


def test_negative_weights_have_no_logarithm():
    signed = WeightedAutomaton([1.0], [-1.0], {"a": [[0.5]]})
    with pytest.raises(ValueError, match="automaton: 1 of its 2 weights are negative"):
        to_openfst_text(signed)
    with pytest.raises(ValueError, match="semiring: 'tropical' is unknown; choose one of log, real"):
        to_openfst_text(signed, semiring="tropical")


def test_openfst_reads_it():
    fst = pytest.importorskip("pywrapfst")
    automaton = WeightedAutomaton(
        [0.5, 0.25], [0.5, 0.125], {"a": [[0.5, 0.1], [0, 0.3]], "b": [[0.2, 0.2]] * 2}
    )
    symbols = fst.SymbolTable()
    for line in openfst_symbols(automaton.alphabet).splitlines():
        name, number = line.split()
        symbols.add_symbol(name, int(number))
    compiler = fst.Compiler(arc_type="log64", acceptor=True, isymbols=symbols)
    compiler.write(to_openfst_text(automaton))
    compiled = compiler.compile()
    for string in ("", "a", "bab"):
        word = fst.Compiler(arc_type="log64", acceptor=True, isymbols=symbols)
        word.write("".join(f"{i} {i + 1} {x}\n" for i, x in enumerate(string)) + f"{len(string)}\n")
        found = fst.compose(word.compile(), compiled)
        total = fst.shortestdistance(found, reverse=True)
        assert math.exp(-float(total[found.start()].to_string())) == pytest.approx(automaton(string))


def test_dot():
    automaton = WeightedAutomaton([1.0, 0.0], [0.0, 0.5], {'"\\': [[0.25, 0.5], [0, 0]], "\n": np.eye(2) / 3})
    text = to_dot(automaton)
    assert text.startswith("digraph automaton {\n")
    assert text.endswith("}\n")
    assert '0 [label = "0\\nin 1"];' in text
    assert '1 [label = "1\\nout 0.5", shape = doublecircle];' in text
    assert '0 -> 0 [label = "\\"\\\\: 0.25\\n\\\\n: 0.333"];' in text
    assert "1 -> 0" not in text
    assert "0 -> 1" not in to_dot(automaton, threshold=0.5)
    assert "0.3333333" in to_dot(automaton, digits=7)
    assert '"x: 0.5"' in to_dot(automaton, labels=["x", "y"])
    assert len(re.findall("->", text)) == 3
    for digits in (0, 18, "3"):
        with pytest.raises(ValueError, match="digits: a whole number from 1 to 17"):
            to_dot(automaton, digits=digits)


@pytest.mark.parametrize("function", [to_openfst_text, to_dot])
def test_what_is_no_automaton_is_named(function):
    with pytest.raises(TypeError, match="automaton: a WeightedAutomaton is needed, not int"):
        function(3)
    with pytest.raises(TypeError, match="alphabet: 'ab' is of type str"):
        openfst_symbols("ab")


# ----------------------------------------------------------------------------------------------- PAutomaC

MODEL = """I: (state)
\t(0) 0.25
\t(1) 0.75
F: (state)
\t(0) 0.5
S: (state,symbol)\x20
\t(0,0) 0.5
\t(0,2) 0.5
\t(1,1) 1.0
T: (state,symbol,state)\x20
\t(0,0,0) 0.5
\t(0,0,1) 0.5
\t(0,2,1) 1.0
\t(1,1,0) 1.0
"""


def written(tmp_path, text, newline="\n"):
    path = tmp_path / "0.pautomac_model.txt"
    path.write_bytes(text.replace("\n", newline).encode())
    return path


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(
    "text", [MODEL, MODEL.rstrip("\n"), "\ufeff" + MODEL + "\n \n", MODEL.replace("\t", " ")]
)
def test_pautomac_models_with_all_their_liberties(tmp_path, text, newline):
    automaton = read_pautomac_model(written(tmp_path, text, newline))
    assert (automaton.n_states, automaton.alphabet.labels) == (2, (0, 1, 2))
    assert automaton([]) == pytest.approx(0.25 * 0.5)
    # begin in 0, go on with 1/2, write 2 with 1/2, to 1; there write 1, to 0; end. Or begin in 1.
    assert automaton([2, 1]) == pytest.approx(0.25 * 0.5 * 0.5 * 1.0 * 0.5)
    assert automaton([1]) == pytest.approx(0.75 * 0.5)
    assert convert_automaton(automaton, "string", "prefix")([]) == pytest.approx(1.0)


def test_probabilities_that_add_up_with_the_end_are_taken_as_they_are(tmp_path):
    joint = MODEL.replace("(0,0) 0.5", "(0,0) 0.25").replace("(0,2) 0.5", "(0,2) 0.25")
    ours, theirs = (read_pautomac_model(written(tmp_path, text)) for text in (joint, MODEL))
    strings = reference.all_strings(range(3), 4)
    np.testing.assert_allclose(ours.values_of(strings), theirs.values_of(strings))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("I: (state)\n", "", "line 1: 'I: (state)' is needed, not '(0) 0.25'"),
        (
            "\t(0,0) 0.5\n",
            "\t(0) 0.5\n",
            "line 7: an entry of section S as '(0,1) 0.5' is needed, not '(0) 0.5'",
        ),
        ("(0,0,0) 0.5", "(0,0,0) x", "line 11: a probability from 0 to 1 is needed, not 'x'"),
        ("(0,0,0) 0.5", "(0,0,0) nan", "line 11: a probability from 0 to 1 is needed, not 'nan'"),
        ("(0,0,0) 0.5", "(0,0,0) -0.5", "line 11: a probability from 0 to 1 is needed, not '-0.5'"),
        ("(0,0,0) 0.5", "(0,0,-1) 0.5", "line 11: an entry of section T as '(0,1,2) 0.5' is needed"),
        ("(0,0,1) 0.5", "(0,0,0) 0.5", "line 12: (0, 0, 0) is there twice in section T"),
        ("F: (state)", "I: (state)", "line 4: section I is there twice"),
        ("F: (state)\n\t(0) 0.5\n", "", "section F is missing"),
        ("(1) 0.75", "(1) 0.5", "all states: the probabilities in section I add up to 0.75, not 1"),
        (
            "(1,1,0) 1.0",
            "(1,1,0) 0.9",
            "state 1, symbol 1: the probabilities in section T add up to 0.9, not 1",
        ),
        (
            "(1,1) 1.0",
            "(1,1) 0.9",
            "state 1: its probabilities in section S add up to 0.9, and with that in F",
        ),
        ("(1,1,0) 1.0", "(1,1,99999) 1.0", "100000 states and 3 symbols are too many"),
    ],
)
def test_pautomac_models_that_lie(tmp_path, old, new, message):
    assert old in MODEL
    with pytest.raises(ValueError, match=f"0.pautomac_model.txt: {re.escape(message)}"):
        read_pautomac_model(written(tmp_path, MODEL.replace(old, new, 1)))


def test_files_that_are_none(tmp_path):
    with pytest.raises(OSError, match="absent"):
        read_pautomac_model(tmp_path / "absent")
    for content in (b"", b"\x00\xff\xfe", b"3 4\n1 0\n"):
        path = tmp_path / "x"
        path.write_bytes(content)
        with pytest.raises(ValueError, match="x: "):
            read_pautomac_model(path)


def test_sequences_and_model_of_pautomac_go_together(tmp_path):
    """Sequences drawn from a model are likelier than chance, by name of the same symbols."""
    automaton = read_pautomac_model(written(tmp_path, MODEL))
    path = tmp_path / "0.pautomac.train"
    path.write_bytes(b"3 3\r\n1 1 \r\n0\r\n2 2 1")
    corpus = read_pautomac(path, end_symbol=False)
    np.testing.assert_allclose(automaton.values_of(corpus), [0.375, 0.125, 0.03125])


@pytest.mark.parametrize("label", ["a\0b", "a\rb", "\x1b", "\ud800"])
def test_control_characters_are_shown_to_graphviz_and_refused_for_openfst(label):
    automaton = WeightedAutomaton([1.0], [0.5], {label: [[0.5]]})
    assert to_dot(automaton).replace("\n", "").isprintable()
    with pytest.raises(ValueError, match="control characters"):
        to_openfst_text(automaton)


def test_a_state_that_seldom_ends_is_read_as_it_is(tmp_path):
    """F is below the rounding of PAutomaC's numbers, but S sums to 1: probabilities given no end."""
    text = "I: (state)\n(0) 1\nF: (state)\n(0) 9e-05\nS: (state,symbol)\n(0,0) 1\n"
    text += "T: (state,symbol,state)\n(0,0,0) 1\n"
    automaton = read_pautomac_model(written(tmp_path, text))
    assert automaton((0,)) / automaton(()) == pytest.approx(0.99991, abs=1e-12)
    joint = text.replace("(0,0) 1\nT", "(0,0) 0.99991\nT")
    assert read_pautomac_model(written(tmp_path, joint))((0,)) == pytest.approx(automaton((0,)), rel=1e-12)


@pytest.mark.slow
@given(st.integers(1, 4), st.integers(1, 3), st.integers(0, 99))
def test_pautomac_models_come_back(tmp_path_factory, n_states, n_symbols, seed):
    rng = np.random.default_rng(seed)
    outcomes = rng.dirichlet(np.ones(n_states * n_symbols + 1) * 0.3, n_states)
    outcomes[0] = np.eye(1, n_states * n_symbols + 1, n_states * n_symbols)[0]  # a state that only ends
    transitions = outcomes[:, :-1].reshape(n_states, n_symbols, n_states).swapaxes(0, 1)
    automaton = ProbabilisticAutomaton(rng.dirichlet(np.ones(n_states)), outcomes[:, -1], transitions)
    path = tmp_path_factory.mktemp("models") / "model.txt"
    for given_automaton in (automaton, automaton.to_weighted()):
        write_pautomac_model(given_automaton, path)
        again = ProbabilisticAutomaton.from_weighted(read_pautomac_model(path))
        assert again.alphabet == automaton.alphabet
        for mine, theirs in zip(again.parameters, automaton.parameters, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-300)


def test_what_is_no_probabilistic_automaton_is_not_written(tmp_path):
    with pytest.raises(ValueError, match="initial: the probabilities sum to 2"):
        write_pautomac_model(WeightedAutomaton([2.0], [0.5], {"a": [[0.5]]}), tmp_path / "x")
    with pytest.raises(TypeError, match="automaton: a ProbabilisticAutomaton is needed, not int"):
        write_pautomac_model(3, tmp_path / "x")
    assert not (tmp_path / "x").exists()


def test_solutions_of_pautomac(tmp_path):
    path = tmp_path / "0.pautomac_solution.txt"
    path.write_text("3\r\n0.5\r\n0.25\r\n0.25")
    assert read_pautomac_solution(path).tolist() == [0.5, 0.25, 0.25]
    for text in ("", "2\n0.5\n", "1\nx\n"):
        path.write_text(text)
        with pytest.raises(ValueError, match=r"0\.pautomac_solution\.txt: "):
            read_pautomac_solution(path)
