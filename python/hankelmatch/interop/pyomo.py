"""Models of Pyomo and IDAES: their equations and variables as a graph."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from .._utils.optional import needs
from ..matching.graphs import BipartiteGraph
from ..matching.readers.tables import label_array


def incidence_graph(model: Any) -> BipartiteGraph:
    """Give which variable stands in which equation of a Pyomo model.

    Parameters
    ----------
    model : pyomo.environ.Block or ConcreteModel
        Its active equality constraints are the rows, in their order; the variables in them that are not fixed
        the columns.

    Returns
    -------
    BipartiteGraph
        Labels are the names of constraints and variables.

    Raises
    ------
    ImportError
        If Pyomo is not installed.
    TypeError
        If `model` is no model.

    Notes
    -----
    One walk over every expression. A variable counts wherever it stands, also times 0: structure alone is
    looked at, as in Pyomo's own incidence analysis.

    Examples
    --------
    >>> import pyomo.environ as pyo
    >>> from hankelmatch import dulmage_mendelsohn, hall_violator
    >>> from hankelmatch.interop.pyomo import incidence_graph
    >>> model = pyo.ConcreteModel()
    >>> model.flow, model.density, model.volume = pyo.Var(), pyo.Var(), pyo.Var()
    >>> model.mass = pyo.Constraint(expr=model.flow * model.density == 1)
    >>> model.heat = pyo.Constraint(expr=model.density**2 == 4)
    >>> model.state = pyo.Constraint(expr=model.density + model.flow == 3)
    >>> graph = incidence_graph(model)
    >>> form = dulmage_mendelsohn(graph)
    >>> form.labelled(form.overdetermined)
    (['mass', 'heat', 'state'], ['flow', 'density'])

    With an unknown in place of a number the equations can all be matched:

    >>> model.state.deactivate()
    >>> model.gas = pyo.Constraint(expr=model.density * model.volume + model.flow == 3)
    >>> hall_violator(incidence_graph(model)) is None
    True
    """
    environ = needs("pyomo.environ", "reading a Pyomo model", "pyomo")
    visitor = needs("pyomo.core.expr.visitor", "reading a Pyomo model", "pyomo")
    if not hasattr(model, "component_data_objects"):
        raise TypeError(f"model: a Pyomo model or block is needed, not {type(model).__name__}")
    numbers: dict[int, int] = {}
    names: list[str] = []
    equations: list[str] = []
    indices: list[int] = []
    indptr = [0]
    for constraint in model.component_data_objects(environ.Constraint, active=True, descend_into=True):
        if not constraint.equality:
            continue
        equations.append(constraint.name)
        for variable in visitor.identify_variables(constraint.body, include_fixed=False):
            if id(variable) not in numbers:
                numbers[id(variable)] = len(names)
                names.append(variable.name)
            indices.append(numbers[id(variable)])
        indptr.append(len(indices))
    arrays = (np.ones(len(indices)), np.array(indices, np.int64), np.array(indptr))
    matrix = sp.csr_array(arrays, shape=(len(equations), len(names)))
    return BipartiteGraph(matrix, label_array(equations), label_array(names))
