"""Files of models of the next symbol, of whatever kind."""

from __future__ import annotations

import os

from ..._utils.files import load_arrays, named_damage
from ..language_model import LanguageModel
from .mixture import MixtureModel
from .n_grams import KneserNeyModel

_CLASSES: dict[str, type[LanguageModel] | type[KneserNeyModel] | type[MixtureModel]] = {
    model.kind: model for model in (LanguageModel, KneserNeyModel, MixtureModel)
}


def load_model(path: str | os.PathLike[str]) -> LanguageModel | KneserNeyModel | MixtureModel:
    """Load a model that `LanguageModel.save`, `KneserNeyModel.save` or `MixtureModel.save` saved.

    Parameters
    ----------
    path : str or os.PathLike
        The file, of this version or an older one; a `SpectralLearner` saves its ``model_`` so.

    Returns
    -------
    LanguageModel, KneserNeyModel or MixtureModel
        Whichever the file holds.

    Raises
    ------
    ValueError
        If the file is damaged, is no such file, or is of a newer version.
    OSError
        If it cannot be opened.

    Examples
    --------
    >>> import os, tempfile
    >>> from hankelmatch import Corpus, KneserNeyModel, load_model
    >>> model = KneserNeyModel(Corpus.from_sequences(["abab", "ab"]), order=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "n-grams.npz")
    ...     model.save(path)
    ...     load_model(path).rank("a", k=1)
    ['b']
    """
    version = max(model.version for model in _CLASSES.values())
    header, arrays = load_arrays(path, tuple(_CLASSES), version)
    with named_damage(path):
        return _CLASSES[header["kind"]]._from_arrays(header, arrays)
