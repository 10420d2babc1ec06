"""Models of Pyomo, where it is installed; its own decomposition has the same parts."""

import sys

import numpy as np
import pytest
from hankelmatch import dulmage_mendelsohn
from hankelmatch.interop.pyomo import incidence_graph


def test_the_remedy_where_it_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyomo.environ", None)
    with pytest.raises(ImportError, match="pyomo"):
        incidence_graph(object())


def random_model(pyo, rng):
    model = pyo.ConcreteModel()
    n_vars, n_constraints = rng.integers(1, 7, 2)
    model.x = pyo.Var(range(n_vars), initialize=1.0)
    model.c = pyo.ConstraintList()
    for _ in range(n_constraints):
        chosen = rng.choice(n_vars, int(rng.integers(1, min(3, n_vars) + 1)), replace=False)
        model.c.add(sum(float(rng.normal()) * model.x[int(i)] ** 2 for i in chosen) == 1)
    if rng.random() < 0.3:
        model.x[0].fix(1.0)
    if rng.random() < 0.3:
        model.c[1].deactivate()
    model.bound = pyo.Constraint(expr=model.x[0] <= 3)
    return model


def test_parts_are_those_of_pyomos_own_analysis():
    pyo = pytest.importorskip("pyomo.environ")
    analysis = pytest.importorskip("pyomo.contrib.incidence_analysis")
    rng = np.random.default_rng(0)
    for _ in range(100):
        model = random_model(pyo, rng)
        graph = incidence_graph(model)
        if not graph.row_labels.size or not graph.col_labels.size:
            continue
        form = dulmage_mendelsohn(graph)
        theirs = analysis.IncidenceGraphInterface(model, include_inequality=False)
        variables, constraints = theirs.dulmage_mendelsohn()
        for part, cols, rows in (
            (
                form.underdetermined,
                [*variables.unmatched, *variables.underconstrained],
                constraints.underconstrained,
            ),
            (form.well_determined, variables.square, constraints.square),
            (
                form.overdetermined,
                variables.overconstrained,
                [*constraints.overconstrained, *constraints.unmatched],
            ),
        ):
            ours = form.labelled(part)
            assert sorted(ours[0]) == sorted(c.name for c in rows)
            assert sorted(ours[1]) == sorted(v.name for v in cols)


def test_other_things_are_refused():
    pytest.importorskip("pyomo.environ")
    with pytest.raises(TypeError, match=r"^model: a Pyomo model or block is needed, not int"):
        incidence_graph(3)
