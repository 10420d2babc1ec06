"""Pictures: what is in them, and that their texts can be read."""

from __future__ import annotations

import itertools
import json
import sys

import numpy as np
import pytest
import scipy.sparse
from hankelmatch import (
    Alphabet,
    SequenceFunction,
    SpectralLearner,
    WeightedAutomaton,
    hankel_blocks,
    learn_automaton,
    match,
    matching_basis,
    prefix_suffix_graph,
    substring_expectations,
)
from hankelmatch.automata.svd import truncated_svd
from hankelmatch.cli import main
from hankelmatch.plot.automaton import plot_automaton
from hankelmatch.plot.curves import plot_singular_values, plot_states
from hankelmatch.plot.figure import (
    MATCHED,
    checked_picture,
    number_text,
    save_figure,
    string_text,
    symbol_text,
)
from hankelmatch.plot.matching import plot_matching
from hankelmatch.sequences.corpus import Corpus
from hankelmatch.sequences.sample import sample_text

from .. import reference

pytest.importorskip("matplotlib", reason="matplotlib is not installed: pip install 'hankelmatch[plot]'")

from matplotlib import font_manager
from matplotlib.colors import same_color
from matplotlib.patches import Circle, FancyArrowPatch

# A new environment lists its fonts first, and says so if that takes long.
font_manager.findfont("DejaVu Sans")

FIGURE_1 = SequenceFunction.from_dict(dict.fromkeys(["", "aab", "b", "bb", "c", "ca", "cb"], 1.0))


@pytest.fixture(scope="module")
def text_graph():
    sentences = Corpus.from_sequences(sample_text()[:500], end_symbol=True)
    return prefix_suffix_graph(substring_expectations(sentences, 5))


def boxes_of(figure) -> list[tuple[str, np.ndarray]]:
    """Every text that is drawn, with its left, bottom, right and top in pixels."""
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    texts = [*figure.texts, *itertools.chain.from_iterable(map(texts_of, figure.axes))]
    shown = [text for text in texts if text.get_visible() and text.get_text()]
    return [(text.get_text(), np.array(text.get_window_extent(renderer).extents)) for text in shown]


def texts_of(axes):
    yield from (*axes.texts, axes.title)
    if axes.get_legend() is not None:
        yield from axes.get_legend().get_texts()
    for axis, place in ((axes.xaxis, 0), (axes.yaxis, 1)) if axes.axison else ():
        yield axis.label
        low, high = sorted(axis.get_view_interval())
        for text in axis.get_ticklabels(which="both"):
            if low <= text.get_position()[place] <= high:
                yield text


def assert_readable(figure) -> list[str]:
    """No text overlaps another or leaves the figure; the texts."""
    boxes = boxes_of(figure)
    assert boxes
    for (a, p), (b, q) in itertools.combinations(boxes, 2):
        apart = p[0] >= q[2] - 1 or q[0] >= p[2] - 1 or p[1] >= q[3] - 1 or q[1] >= p[3] - 1
        assert apart, f"{a!r} and {b!r} overlap"
    width, height = figure.canvas.get_width_height()
    for name, (left, bottom, right, top) in boxes:
        assert left >= -1 and bottom >= -1 and right <= width + 1 and top <= height + 1, name  # noqa: PT018
    return [name for name, _ in boxes]


def red_points(axes) -> set[tuple[int, int]]:
    """Row and column of every red mark."""
    lines = [line for line in axes.lines if same_color(line.get_color(), MATCHED)]
    return {(int(y), int(x)) for line in lines for x, y in zip(*line.get_data(), strict=True)}


# ---------------------------------------------------------------------------------------------- matching


def test_figure_1_of_the_paper():
    figure = plot_matching(FIGURE_1)
    left, right = figure.axes
    graph = prefix_suffix_graph(FIGURE_1)
    matching = match(graph)
    pairs = {(row, mate) for row, mate in enumerate(matching.row_mate.tolist()) if mate >= 0}
    assert len(pairs) == 5
    assert red_points(right) == pairs
    edges = [line.get_data()[1] for line in left.lines if list(line.get_data()[0]) == [0, 1]]
    assert len(edges) == graph.n_edges == 18
    texts = assert_readable(figure)
    assert texts.count("1") == 18
    assert {"\u03b5", "aab", "ca", "cb"} <= set(texts)
    assert any("9 \u00d7 9, 18 entries; maximum matching (red): 5" in text for text in texts)


def test_the_block_alone_and_the_matched_edges_on_the_diagonal():
    block = plot_matching(FIGURE_1, whole=False)
    entries = hankel_blocks(FIGURE_1, matching_basis(FIGURE_1, method="auto")).H.nnz
    assert any(f"5 \u00d7 5, {entries} entries" in text for text in assert_readable(block))
    for whole in (True, False):
        figure = plot_matching(FIGURE_1, whole=whole, diagonal=True)
        assert red_points(figure.axes[1]) == {(i, i) for i in range(5)}
        assert_readable(figure)


@pytest.mark.parametrize("diagonal", [False, True])
def test_a_large_block(text_graph, diagonal):
    """Of 2,000 rows and more the pattern is an image; its red points are the matching."""
    matching = match(text_graph)
    assert matching.size > 1500
    figure = plot_matching(text_graph, matching, diagonal=diagonal)
    (axes,) = figure.axes
    rows = np.flatnonzero(matching.row_mate >= 0)
    columns = np.flatnonzero(matching.col_mate >= 0)
    mates = np.searchsorted(columns, matching.row_mate[rows]).tolist()
    assert red_points(axes) == {(i, i if diagonal else mate) for i, mate in enumerate(mates)}
    image = axes.images[0].get_array()
    block = text_graph.to_csr()[rows][:, columns]
    assert 0 < np.count_nonzero(image >= 0) <= block.nnz
    texts = assert_readable(figure)
    assert any(f"{len(rows):,} \u00d7 {len(columns):,}, {block.nnz:,} entries" in text for text in texts)
    assert any("prefixes, by length" in text for text in texts) != diagonal


def test_long_names_and_many_of_them():
    words = [sentence.split()[:4] for sentence in sample_text()[:3]]
    figure = plot_matching(substring_expectations(Corpus.from_sequences(words, end_symbol=True), 2))
    assert len(figure.axes) == 2
    assert_readable(figure)


@pytest.mark.parametrize("shape", [(1, 1), (3, 12), (16, 16), (300, 900), (900, 100), (2000, 40)])
def test_any_sparse_matrix(shape):
    rng = np.random.default_rng(0)
    density = min(1.0, 2 / min(shape))
    matrix = scipy.sparse.random_array(shape, density=density, rng=rng, format="csr")
    matching = match(matrix)
    figure = plot_matching(matrix, whole=True)
    assert_readable(figure)
    pairs = {(row, mate) for row, mate in enumerate(matching.row_mate.tolist()) if mate >= 0}
    assert red_points(figure.axes[-1]) == pairs


def test_matchings_that_do_not_fit_and_empty_graphs_are_refused():
    with pytest.raises(ValueError, match=r"^matching: it is of a \(1, 1\) matrix, but the graph is \(9, 9\)"):
        plot_matching(FIGURE_1, match(scipy.sparse.eye_array(1, format="csr")))
    with pytest.raises(ValueError, match=r"^graph: it has no row or no column to show"):
        plot_matching(scipy.sparse.csr_array((3, 0)))
    with pytest.raises(ValueError, match=r"^graph: it has no row or no column to show"):
        plot_matching(scipy.sparse.csr_array((3, 3)), whole=False)


def test_strings_are_written_so_that_they_can_be_seen():
    assert string_text(()) == "\u03b5"
    assert string_text(("a", " ", "\n")) == "a\u2423\u21b5"
    assert string_text(("to", "be")) == "to be"
    assert string_text((3, 10)) == "3 10"
    assert symbol_text("\x00") == "\\x00"
    assert len(string_text("x" * 100)) == 18
    assert string_text("ab" * 20).startswith("abab")
    dollars = SequenceFunction.from_dict({("$", "_", "$"): 1.0, ("\\",): 2.0, ("{",): 1.0})
    assert "$_$" in assert_readable(plot_matching(dollars))  # not taken for a formula


def test_numbers_are_short():
    assert [number_text(x) for x in (0, 1, 0.123, 123.4, 12345, -0.5)] == [
        "0",
        "1",
        "0.12",
        "123",
        "1e4",
        "\u22120.5",
    ]
    assert number_text(-0.000424) == "\u22124e\u22124"


# ----------------------------------------------------------------------------- singular values and states


def test_singular_values_of_block_and_whole_matrix():
    graph = prefix_suffix_graph(FIGURE_1)
    block = truncated_svd(hankel_blocks(FIGURE_1, matching_basis(graph)).H)
    whole = truncated_svd(graph.to_csr(weighted=True))
    figure = plot_singular_values({"block": block, "whole": whole.singular_values[::-1]})
    (axes,) = figure.axes
    for line, svd in zip(axes.lines, (block, whole), strict=True):
        assert line.get_xdata().tolist() == [1, 2, 3, 4, 5]
        assert np.allclose(line.get_ydata(), svd.singular_values)
    assert axes.get_yscale() == "log"
    assert {"block (5)", "whole (5)"} <= set(assert_readable(figure))
    with pytest.raises(ValueError, match=r"^values: there is no singular value above 0"):
        plot_singular_values({"zero": [0.0]})


def test_bits_per_symbol_against_states():
    learner = SpectralLearner(3, [2, 4, 8, 16], contexts="mixed").fit(sample_text()[:300])
    (axes,) = plot_states(learner).axes
    assert axes.lines[0].get_xdata().tolist() == [2, 4, 8, 16]
    assert axes.lines[0].get_ydata().tolist() == [learner.tried_["mixed", n] for n in (2, 4, 8, 16)]
    tried = {("mixed", 11): 3.0, ("mixed", 1359): 1.9, ("longest", 11): 3.2, ("longest", 600): 2.1}
    texts = assert_readable(plot_states(tried))
    assert {"longest contexts", "mixed contexts", "best: 1,359 states, 1.9000", "1,000"} <= set(texts)
    assert_readable(plot_states({("mixed", 7): 2.0}))
    with pytest.raises(ValueError, match=r"^learned: no number of states was tried"):
        plot_states(SpectralLearner(2, 3).fit(["abab", "ab"]))


# --------------------------------------------------------------------------------------------- automaton


def test_an_automaton_as_a_graph():
    counter = WeightedAutomaton([1, 0], [0, 1], {"a": [[1, 1], [0, 1]], "b": [[2, 0], [0, -2]]})
    figure = plot_automaton(counter)
    (axes,) = figure.axes
    assert len([p for p in axes.patches if isinstance(p, Circle)]) == 2
    assert len([p for p in axes.patches if isinstance(p, FancyArrowPatch)]) == 3
    texts = assert_readable(figure)
    assert {"b 2\na 1", "a 1", "b \u22122\na 1", "\u2192 1", "1 \u2192", "\u2192 0", "0 \u2192"} <= set(texts)
    assert any(text.startswith("2 states, 2 symbols, 3 arrows\n") for text in texts)
    red = [t.get_text() for t in axes.texts if same_color(t.get_color(), MATCHED)]
    assert red == ["b \u22122\na 1"]


@pytest.mark.parametrize("n_states", [1, 2, 3, 5, 8, 16, 24])
def test_no_texts_overlap_in_dense_automata(n_states):
    rng = np.random.default_rng(n_states)
    dense = WeightedAutomaton(
        rng.standard_normal(40) * 1000,
        rng.standard_normal(40) / 1000,
        rng.standard_normal((12, 40, 40)),
        Alphabet([f"word{i}" for i in range(11)] + [" "]),
    )
    figure = plot_automaton(dense, max_states=n_states, max_arrows=40)
    texts = assert_readable(figure)
    assert any(text.startswith(f"the first {n_states} of 40 states, 12 symbols") for text in texts)
    arrows = [p for p in figure.axes[0].patches if isinstance(p, FancyArrowPatch)]
    assert len(arrows) >= min(20, n_states**2) / 2


def test_rounding_is_not_shown():
    automaton = learn_automaton(hankel_blocks(FIGURE_1, matching_basis(FIGURE_1)))
    texts = assert_readable(plot_automaton(automaton))
    assert not any("e\u22121" in text for text in texts)


def test_parameters_of_the_automaton_are_checked():
    one = reference.random_automaton(2, 2, seed=0)
    for name, value in (("max_states", 0), ("max_arrows", -1), ("least", 2.0), ("least", np.nan)):
        with pytest.raises(ValueError, match=rf"^{name}: "):
            plot_automaton(one, **{name: value})
    with pytest.raises(ValueError, match=r"^automaton: it has no states"):
        plot_automaton(WeightedAutomaton([], [], np.zeros((1, 0, 0))))
    nothing = plot_automaton(one, max_arrows=0)
    assert any("0 of 4 arrows" in text for text in assert_readable(nothing))


# ----------------------------------------------------------------------------------------------- figures


def test_files_by_the_end_of_their_names(tmp_path):
    for name in ("a.png", "a.SVG", "b.png", "b.svg"):
        save_figure(plot_matching(FIGURE_1), tmp_path / name)
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in (tmp_path / "a.SVG").read_bytes()
    for again, first in (("b.png", "a.png"), ("b.svg", "a.SVG")):
        assert (tmp_path / again).read_bytes() == (tmp_path / first).read_bytes()
    assert checked_picture("x.png") == "png"
    for name in ("x.pdf", "x", "png", ".png"):
        with pytest.raises(ValueError, match=r"^path: .* ends in neither \.png nor \.svg"):
            save_figure(plot_states({("mixed", 1): 2.0}), tmp_path / name)


def test_an_old_picture_stays_where_the_new_one_fails(tmp_path):
    (tmp_path / "a.svg").write_text("old")

    class Broken:
        def savefig(self, file, **options):
            file.write(b"half")
            raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        save_figure(Broken(), tmp_path / "a.svg")
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("a.svg", "old")]


def test_notebooks_can_show_figures_without_pyplot():
    figure = plot_states({("mixed", 1): 2.0, ("mixed", 2): 1.0})
    assert figure._repr_png_().startswith(b"\x89PNG")


def test_a_missing_matplotlib_is_refused_with_the_remedy(monkeypatch, capsys, tmp_path):
    for name in ("matplotlib", "matplotlib.figure", "matplotlib.colors", "matplotlib.patches"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=r"drawing needs matplotlib: pip install 'hankelmatch\[plot\]'"):
        checked_picture("a.png")
    assert main(["plot", "matching", "-o", str(tmp_path / "a.png")]) == 2
    out, err = capsys.readouterr()
    assert (out, err) == ("", "hankelmatch: drawing needs matplotlib: pip install 'hankelmatch[plot]'\n")


# ------------------------------------------------------------------------------------------- the command


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    path = tmp_path_factory.mktemp("texts") / "train.txt"
    path.write_text("\n".join(sample_text()[:200]), encoding="utf-8")
    return path


def run(capsys, *arguments, status=0):
    assert main(["plot", *map(str, arguments)]) == status
    out, err = capsys.readouterr()
    if status:
        assert err.startswith("hankelmatch: ")
        assert err.count("\n") == 1
        return err
    assert err == ""  # no progress is shown where there is no terminal
    return out


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_the_pictures_of_a_text(capsys, text, tmp_path, ending):
    path = tmp_path / f"a.{ending}"
    size = ["--max-length", 3, "-o", path]
    out = run(capsys, "matching", text, *size, "--diagonal")
    assert [line.split()[0] for line in out.splitlines()] == ["substrings", "matching", "picture"]
    assert f"saved to {path}" in out
    assert path.stat().st_size > 5000
    result = json.loads(run(capsys, "singular-values", text, *size, "-n", 10, "--json"))
    assert result["path"] == str(path)
    values = [result["stages"][name]["singular_values"] for name in ("block", "whole matrix")]
    assert [len(found) for found in values] == [10, 10]
    assert values[0][0] <= values[1][0] * (1 + 1e-9)  # a block's are not larger
    assert "best on held-out text" in run(capsys, "states", text, *size, "--max-states", 20)


def test_the_picture_of_a_model(capsys, text, tmp_path):
    model, path = tmp_path / "model.npz", tmp_path / "a.svg"
    assert main(["learn", str(text), "--max-length", "2", "--states", "6", "--json", "-o", str(model)]) == 0
    capsys.readouterr()
    run(capsys, "automaton", model, "-o", path, "--max-states", 4, "--max-arrows", 5)
    assert path.stat().st_size > 5000


def test_complaints_come_before_the_work(capsys, text, tmp_path):
    for name, complaint in (
        ("a.pdf", "ends in neither .png nor .svg; name it so"),
        ("absent/a.png", "no file can be written there; give -o a file"),
    ):
        assert complaint in run(capsys, "matching", text, "-o", tmp_path / name, status=2)
    picture = ["-o", tmp_path / "a.png"]
    assert "No such file" in run(capsys, "matching", tmp_path / "none", *picture, status=2)
    assert "make one with" in run(capsys, "automaton", text, *picture, status=2)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(SystemExit):
        main(["plot", "matching", str(text)])
    assert "the following arguments are required: -o" in capsys.readouterr().err


def test_wrong_arguments_of_pictures_are_named(tmp_path):
    automaton = WeightedAutomaton(initial=[1], final=[1], transitions={"a": [[0.5]]})
    for draw, error, message in (
        (lambda: plot_singular_values([1, 2]), TypeError, r"^values: a mapping"),
        (lambda: plot_singular_values({"a": "xy"}), ValueError, r"^values\['a'\]: "),
        (lambda: plot_singular_values({"a": [np.inf]}), ValueError, r"^values\['a'\]: a list of finite"),
        (lambda: plot_states(None), TypeError, r"^learned: a SpectralLearner"),
        (lambda: plot_states({"a": 1.0}), ValueError, r"^learned: keys are"),
        (lambda: plot_states(SpectralLearner()), ValueError, r"^learned: no number of states was tried"),
        (lambda: plot_automaton(None), TypeError, r"^automaton: a WeightedAutomaton"),
        (lambda: plot_automaton(automaton, least="x"), ValueError, r"^least: a number"),
        (lambda: save_figure(5, tmp_path / "a.png"), TypeError, r"^figure: a Figure"),
    ):
        with pytest.raises(error, match=message):
            draw()
    assert not (tmp_path / "a.png").exists()
