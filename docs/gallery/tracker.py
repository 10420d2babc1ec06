"""
Assignment for a tracker
========================

Points move; each frame of a film shows where they are, some hidden and some false. A tracker assigns the
detections of a frame to its tracks so that the sum of the distances is least, and leaves a track without a
detection rather than pay more than a limit. `maximum_weight_matching` does that in one call.
"""

import matplotlib.pyplot as plt
import numpy as np
from hankelmatch import maximum_weight_matching
from scipy.spatial.distance import cdist

rng = np.random.default_rng(4)
n_points, n_frames = 8, 40
position = rng.uniform(-5, 5, (n_points, 2))
velocity = rng.normal(0, 0.25, (n_points, 2))
frames = []
for _ in range(n_frames):
    velocity += rng.normal(0, 0.03, velocity.shape)
    position = position + velocity
    seen = (position + rng.normal(0, 0.03, position.shape))[rng.random(n_points) > 0.05]
    frames.append(np.vstack([seen, rng.uniform(-10, 10, (1, 2))]))

# %%
# Each track predicts where it goes. `limit` is the greatest distance that is still believed.
tracks = [[point] for point in frames[0]]
alive = list(range(len(tracks)))
for detections in frames[1:]:
    last = np.array([tracks[t][-1] for t in alive])
    before = np.array([tracks[t][-2] if len(tracks[t]) > 1 else tracks[t][-1] for t in alive])
    distances = cdist(2 * last - before, detections)
    matching = maximum_weight_matching(distances, minimize=True, limit=1.0)
    rows, cols = matching.pairs()
    assert matching.is_optimal(distances)
    for row, col in zip(rows, cols, strict=True):
        tracks[alive[row]].append(detections[col])
    new = np.setdiff1d(np.arange(len(detections)), cols)
    alive = [alive[row] for row in rows] + list(range(len(tracks), len(tracks) + len(new)))
    tracks += [[detections[col]] for col in new]

long = [np.array(track) for track in tracks if len(track) > 4]
print(f"{len(tracks)} tracks, {len(long)} of them longer than four frames")

figure, axes = plt.subplots(figsize=(7, 6), layout="constrained")
everything = np.vstack(frames)
axes.plot(*everything.T, ".", color="0.75", markersize=4, label="detections")
for track in long:
    axes.plot(*track.T, "-", linewidth=1.8)
axes.set_aspect("equal")
axes.set_title("detections and the tracks found")
axes.legend(loc="upper left")
