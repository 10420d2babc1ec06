"""Files and objects of other programs: Abbadingo, OpenFst, Graphviz, PAutomaC, SPiCe; `interop.splearn`."""

from .abbadingo import AbbadingoSample, read_abbadingo
from .arpa import write_arpa
from .graphviz import to_dot
from .openfst import openfst_symbols, to_openfst_text
from .pautomac import (
    read_pautomac,
    read_pautomac_model,
    read_pautomac_solution,
    write_pautomac_model,
)
from .spice import read_spice, read_spice_targets

__all__ = [
    "AbbadingoSample",
    "openfst_symbols",
    "read_abbadingo",
    "read_pautomac",
    "read_pautomac_model",
    "read_pautomac_solution",
    "read_spice",
    "read_spice_targets",
    "to_dot",
    "to_openfst_text",
    "write_arpa",
    "write_pautomac_model",
]
