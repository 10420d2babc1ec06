"""
Bits per character against the number of states
===============================================

One singular value decomposition serves every number of states, so `SpectralLearner` tries many of them on
held-out text. The text here is English prose that comes with Python; part of it serves no choice and measures
the result.
"""

from hankelmatch import SpectralLearner
from hankelmatch.plot import plot_states
from hankelmatch.sequences import sample_text

sentences = sample_text()
test, dev, train = sentences[:200], sentences[200:400], sentences[400:]
learner = SpectralLearner(max_length=4, n_states=[5, 10, 20, 40, 80, 160], unseen="skip")
learner.fit(train, dev=dev)
print(f"{len(train)} sentences; best number of states on held-out text: {learner.n_states_}")
print(f"on the test text: {-learner.score(test):.3f} bits per character")
figure = plot_states(learner)

# %%
# The model ranks and writes. A floor of 0 excludes what the context never met, so samples read better.
model = learner.window_model_.replace(floor=0.0)
print(model.rank("The func", k=3))
for seed in range(3):
    print("".join(model.sample(seed, max_length=70)))
