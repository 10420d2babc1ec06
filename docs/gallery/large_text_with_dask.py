"""
Counting a text in parts, with Dask
===================================

`count_to_parquet` reads a text in ranges and counts its substrings on the workers of a Dask cluster, so that
the text is never in memory as a whole. The table that it writes is read back with
`SequenceFunction.from_parquet`. The counts are the same to the bit as those made in memory.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from distributed import Client
from hankelmatch import SequenceFunction, count_to_parquet, read_text, substring_expectations
from hankelmatch.sequences import sample_text

with (
    tempfile.TemporaryDirectory() as folder,
    Client(processes=False, n_workers=1, dashboard_address=None) as client,
):
    text, table = Path(folder, "text.txt"), Path(folder, "counts.parquet")
    text.write_text("\n".join(sample_text()), encoding="utf-8")
    count_to_parquet(text, 5, table, client=client)
    f = SequenceFunction.from_parquet(table)
    at_once = substring_expectations(read_text(text), 5)

values = f.values()
assert np.array_equal(values, at_once.values())
print(f"{len(f)} substrings of length 0 to 5, the same as in memory")

# %%
# A few strings are frequent and many are rare: Zipf's law, for each length.
lengths = f.strings().lengths
figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
for length in range(1, 6):
    sizes = np.sort(values[lengths == length])[::-1]
    axes.loglog(np.arange(1, len(sizes) + 1), sizes, label=f"length {length}")
axes.set(xlabel="rank", ylabel="expected occurrences in a sentence", title="substrings of English")
axes.legend()
