"""The parts of `SpectralLearner`: its texts, the stages up to the SVD, and the choices on held-out text."""

__all__: list[str] = []
