"""Labels, sequences and texts for hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

labels = st.one_of(st.text(max_size=3), st.integers(-5, 5))
sequences = st.lists(st.lists(labels, max_size=6), max_size=6)
texts = st.lists(st.text(max_size=8), max_size=6)
