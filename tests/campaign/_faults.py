"""Every fault that the first attack found, tried again: `python -m tests.campaign faults --against PYTHON`.

Each is a program of its own, so that it may crash. It says "right" or what is wrong in its last line. PYTHON
is that of an environment with another build of the package; commit d824d80 has all of the faults.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from ._preload import built_library, preloading

SECONDS = 120
START = """
import ctypes, io, os, resource, signal, sys, threading, time, warnings, zipfile
import numpy as np, scipy.sparse as sp
from hankelmatch import *
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
def random_graph(n, degree):
    rows, cols = rng.integers(0, n, (2, degree * n))
    return sp.csr_array(sp.coo_array((rng.random(degree * n), (rows, cols)), shape=(n, n)))
def outcome(call, wanted=(TypeError, ValueError)):
    try:
        call()
    except wanted as error:
        return error
    except Exception as error:
        return f"{type(error).__name__}: {error}".splitlines()[0]
    return "no error"
def verdict(*wrong):
    print("; ".join(wrong) or "right")
f = substring_expectations(Corpus.from_sequences(["abab", "aab", "ba"] * 20, end_symbol=True), 4)
"""
ALONE = "# begins without START"
MODEL = """
model = LanguageModel(learn_automaton(hankel_blocks(f, matching_basis(f)), 3), 3)
path = os.path.join(os.getcwd(), "model.npz")
model.save(path)
with zipfile.ZipFile(path) as archive:
    parts = {name: archive.read(name) for name in archive.namelist()}
def rewrite(**changed):
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in {**parts, **changed}.items():
            archive.writestr(name, content)
def refused(call, name="model.npz"):
    got = outcome(call, ValueError)
    return [] if isinstance(got, ValueError) and name in str(got) else [str(got)[:90]]
"""
SWEEP = """
fail = ctypes.CDLL(os.environ["HANKELMATCH_FAIL_CALLS"]).fail_allocation
matrix, texts = random_graph(200, 4), ["abab", "aab", "ba"] * 20
columns = matrix.tocsc()
corpus, basis = Corpus.from_sequences(texts, end_symbol=True), matching_basis(f)
graph = prefix_suffix_graph(f)
calls = [lambda: match(matrix), lambda: match(columns, "hopcroft-karp"),
    lambda: dulmage_mendelsohn(matrix), lambda: maximum_weight_matching(matrix),
    lambda: Corpus.from_sequences(texts, end_symbol=True), lambda: substring_expectations(corpus, 6),
    lambda: (match(prefix_suffix_graph(f)), match(graph, "heavy")), lambda: hankel_blocks(f, basis)]
crashes = wrong = 0
for call in calls:
    call(), call()
    for k in range(1, 61):
        child = os.fork()
        if child == 0:
            try:
                fail(k)
                call()
            except MemoryError:
                pass
            except SystemError:  # numpy's own
                pass
            except BaseException:
                os._exit(3)
            fail(0)
            os._exit(0)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        crashes += status < 0
        wrong += status > 0
count = f"{crashes} crashes and {wrong} other errors in {60 * len(calls)} failures"
verdict(*[count] * (crashes + wrong > 0))
"""
FAULTS: dict[str, tuple[str, str]] = {
    "F1": (
        "no thread can be started",
        """
ctypes.CDLL(os.environ["HANKELMATCH_FAIL_CALLS"]).fail_threads(1)
big = random_graph(200_000, 8)
text = Corpus.from_sequences([rng.integers(0, 9, 400_000).tolist()])
calls = {"match": lambda: match(big), "csc": lambda: match(big.tocsc()),
    "counting": lambda: substring_expectations(text, 6),
    "graph": lambda: prefix_suffix_graph(substring_expectations(text, 3))}
got = {name: outcome(call, MemoryError) for name, call in calls.items()}
verdict(*[f"{name}: {error}" for name, error in got.items() if error != "no error"])
""",
    ),
    "F2": (
        "a daemon thread is in the core at exit",
        """
big = random_graph(400_000, 6)
for _ in range(4):
    threading.Thread(target=lambda: [match(big) for _ in range(100)], daemon=True).start()
time.sleep(0.2)
verdict()
""",
    ),
    "F3 dia": (
        "fewer offsets than diagonals",
        """
A = sp.dia_array(np.ones((40, 50)))
A.offsets = A.offsets[:2]
got = outcome(lambda: match(A))
verdict(*[got] * isinstance(got, str))
""",
    ),
    "F3 bsr": (
        "blocks beyond the matrix",
        """
A = sp.bsr_array(np.ones((40, 50)), blocksize=(2, 2))
A.indptr = A.indptr + 1_000_000
got = outcome(lambda: match(A))
verdict(*[got] * isinstance(got, str))
""",
    ),
    "F4": (
        "a damaged .npy header in a model",
        MODEL
        + """
rewrite(**{"initial.npy": parts["initial.npy"].replace(b", }", b",  ", 1)})
verdict(*refused(lambda: LanguageModel.load(path)))
""",
    ),
    "F5": ("the k-th small allocation fails", SWEEP),
    "F6": (
        "first import in a sub-interpreter",
        ALONE
        + """
code = "try:\\n    import hankelmatch._core\\nexcept ImportError:\\n    pass"
try:
    from concurrent import interpreters
    make, run = interpreters.create, lambda i: i.exec(code)
except ImportError:
    import _xxsubinterpreters as interpreters
    make, run = interpreters.create, lambda i: interpreters.run_string(i, code)
run(make())
print("right")
""",
    ),
    "F7 claims": (
        "a model claims 10^12 numbers",
        MODEL
        + """
head = io.BytesIO()
np.lib.format.write_array_header_1_0(head, {"descr": "<f8", "fortran_order": False, "shape": (10**12,)})
rewrite(**{"initial.npy": head.getvalue()})
verdict(*refused(lambda: LanguageModel.load(path)))
""",
    ),
    "F7 bomb": (
        "a compressed array of 256 MB in a model, and 64 MB of memory",
        MODEL
        + """
rewrite()
with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
    with archive.open("more.npy", "w", force_zip64=True) as entry:
        np.lib.format.write_array_header_1_0(
            entry, {"descr": "|u1", "fortran_order": False, "shape": (1 << 28,)})
        for _ in range(256):
            entry.write(bytes(1 << 20))
now = int(open("/proc/self/statm").read().split()[0]) * 4096
resource.setrlimit(resource.RLIMIT_AS, (now + (1 << 26), now + (1 << 26)))
verdict(*refused(lambda: LanguageModel.load(path)))
""",
    ),
    "F7 dense": (
        "a model with twice the matrices",
        MODEL
        + """
arrays = dict(np.load(path))
arrays["dense"] = np.concatenate([arrays["dense"]] * 2)
np.savez(path, **arrays)
verdict(*refused(lambda: LanguageModel.load(path)))
""",
    ),
    "F7 Parquet": (
        "a table that is none",
        """
open("table.parquet", "wb").write(b"PAR1" + bytes(99) + b"PAR1")
got = outcome(lambda: SequenceFunction.from_parquet("table.parquet"), ValueError)
verdict(*[str(got)[:90]] * (not isinstance(got, ValueError) or "table.parquet" not in str(got)))
""",
    ),
    "F8 data": (
        "data=None, and data of a wrong length",
        """
A = sp.csr_array(np.ones((3, 3)))
wrong = []
for data in (None, np.ones(2)):
    B = A.copy()
    B.data = data
    for call in (maximum_weight_matching, heavy_matching, min_weight_full_bipartite_matching):
        got = outcome(lambda: call(B))
        if isinstance(got, str):
            wrong.append(f"{call.__name__}: {got[:50]}")
verdict(*wrong[:2])
""",
    ),
    "F8 flag": (
        "a stale has_canonical_format",
        """
A = sp.csr_array(([1.0, 2.0, 4.0], [0, 1, 1], [0, 3]), shape=(1, 2))
A.has_canonical_format = True
weight = maximum_weight_matching(A).weight
verdict(*[f"weight {weight}, not 6"] * (weight != 6))
""",
    ),
    "F9": (
        "another thread changes the matrix",
        """
sys.setswitchinterval(1e-5)
A = random_graph(100_000, 6)
indices, indptr = A.indices.copy(), A.indptr.copy()
stop = False
def change():
    while not stop:
        A.indices[::2] = 2**30
        A.indptr[5:-5:2] = 2**30
        time.sleep(1e-4)
        A.indices[:], A.indptr[:] = indices, indptr
threading.Thread(target=change, daemon=True).start()
for call in (match, dulmage_mendelsohn, maximum_weight_matching, heavy_matching) * 8:
    outcome(lambda: call(A))
stop = True
verdict()
""",
    ),
    "F10": (
        "Ctrl-C while T = 40 is counted, and while a COO matrix is matched",
        """
text = Corpus(rng.integers(0, 20, 6_000_000).astype(np.int32), [0, 6_000_000], Alphabet(range(20)))
rows, cols = rng.integers(0, 1_000_000, (2, 6_000_000)).astype(np.int32)
matrix = sp.coo_array((np.ones(len(rows)), (rows, cols)), shape=(1_000_000, 1_000_000))
def patience(call, after):
    sent = []
    def send():
        sent.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)
    timer = threading.Timer(after, send)
    timer.start()
    try:
        call()
    except KeyboardInterrupt:
        return time.process_time() - sent[0]
    timer.cancel()
    return 0.0
worst = [max(patience(call, after) for after in (0.2, 1.0, 3.0))
    for call in (lambda: substring_expectations(text, 40), lambda: match(matrix))]
print("right: " * (max(worst) < 0.5) + "{:.2f} s, {:.2f} s of processor time".format(*worst))
""",
    ),
    "F12": (
        "threads with OMP_NUM_THREADS=1",
        """
text = Corpus.from_sequences([rng.integers(0, 9, 3_000_000).tolist()])
worker = threading.Thread(target=lambda: substring_expectations(text, 8))
before, most = len(os.listdir("/proc/self/task")), 0
worker.start()
while worker.is_alive():
    most = max(most, len(os.listdir("/proc/self/task")) - before)
    time.sleep(0.001)
verdict(*[f"{most} threads"] * (most > 1))
""",
    ),
    "F13": (
        "rows of a block beyond it",
        """
graph = prefix_suffix_graph(f)
core = graph._core
far = np.full(graph.n_prefixes, 10**9, np.int32)
near = np.zeros(graph.n_suffixes, np.int32)
got = outcome(lambda: core.hankel_blocks(f.values(), far, near, 1, 1, 4))
verdict(*[got] * isinstance(got, str))
""",
    ),
    "F14": (
        "memory of a result of 600,000 bytes",
        """
n = 150_000
A = sp.csr_array(sp.eye_array(n, format="csr"))
def used():
    return int(open("/proc/self/statm").read().split()[1]) * 4096
match(A)
before = used()
kept = [match(A) for _ in range(100)]
times = (used() - before) / 100 / (2 * 4 * n)
print("right: " * (times < 1.3) + f"{times:.1f} times its arrays")
""",
    ),
}


def faults(against: str | None) -> int:
    """Print a table of all faults with this build and, if given, with another; 1 if this one has any."""
    builds = {"this build": sys.executable, **({"the other": against} if against else {})}
    print(" | ".join(["fault", "what", *builds]))
    found = 0
    for name, (what, code) in FAULTS.items():
        results = [result(python, code) for python in builds.values()]
        found += not (results[0].startswith("right"))
        print(" | ".join([name, what, *results]), flush=True)
    return int(found > 0)


def result(python: str, code: str) -> str:
    """The last line of a program, or how it ended."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": ""}
    if "HANKELMATCH_FAIL_CALLS" in code:
        environment.update(preloading(built_library()))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "fault.py"
        file.write_text(code if code.startswith(ALONE) else START + code, encoding="utf-8")
        try:
            done = subprocess.run(
                [python, file], cwd=folder, env=environment, capture_output=True, text=True, timeout=SECONDS,
                check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return f"hangs ({SECONDS} s)"
    if done.returncode < 0:
        return signal.Signals(-done.returncode).name
    lines = (done.stdout if done.returncode == 0 else done.stderr).strip().splitlines()
    return lines[-1][:110] if lines else f"status {done.returncode}"
