"""Maximum bipartite matchings, Hankel blocks, and the weighted automata learned from them.

Each folder uses only those before it, and each can be entered from outside::

    sequences -> counting -> matching -> hankel -> automata -> prediction -> interop

`SpectralLearner` does all of it, from sequences to a language model. Each folder lists its public names.
"""

# ruff: noqa: E402, F403

from ._utils.process.interpreters import refuse_sub_interpreter

refuse_sub_interpreter()  # before anything is imported that would wait for ever

from . import automata, counting, hankel, interop, matching, prediction, sequences
from ._utils.deprecation import register_old_names
from ._utils.process.threads import get_num_threads, set_default_threads, set_num_threads
from .automata import *
from .counting import *
from .hankel import *
from .interop import *
from .learner import SpectralLearner
from .matching import *
from .prediction import *
from .sequences import *

__version__ = "0.2.0"

register_old_names(__name__)
set_default_threads()

__all__ = ["SpectralLearner", "get_num_threads", "set_num_threads"]
__all__ += automata.__all__
__all__ += counting.__all__
__all__ += hankel.__all__
__all__ += interop.__all__
__all__ += matching.__all__
__all__ += prediction.__all__
__all__ += sequences.__all__
__all__.remove("sample_text")  # a text to try things on
