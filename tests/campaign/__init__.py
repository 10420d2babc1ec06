"""An attack on the package: random and hostile input, full disks, failing allocations, signals, threads.

`python -m tests.campaign` runs all attacks and writes a report; see `__main__`. Each module of this folder is
one attack. It has `CASES`, the number of cases of a long run, and `attack(seed, count)`, which tries `count`
cases and yields a line for every failure. Answers are compared with slow, obvious code.
"""
