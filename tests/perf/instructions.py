#!/usr/bin/env python3
"""Counts instructions of hot calls under callgrind and compares them with their budgets.

usage: instructions.py PROGRAM LAUNCHER...   PROGRAM is instructions.c; the launcher takes "-n 1 A : -n 1 B".
Prints one line a figure; fails when one is over its budget.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

REPETITIONS = 50  # as in instructions.c
WINDOW = 64  # messages that a window holds
RUNS = 3  # the lowest counts: a rank that lost its core meanwhile waits for a while, and waiting is no path
BUDGETS = {  # instructions a call, two ranks on one node
    "send + receive": 200,
    "isend": 90,
    "window-sent, each": 120,
    "window-received, each": 190,  # posted, matched, waited for
    "barrier": 250,
    "allreduce": 350,
    "fetch-add": 60,
    "lock": 420,  # taken and given back
}
SKIPPED = 77  # meson's exit code for a test that cannot run here


def run(program, launcher, folder):
    shared = folder / "progress"
    shared.write_bytes(bytes(4096))
    valgrind = ["valgrind", "-q", "--tool=callgrind", "--collect-atstart=no", f"--callgrind-out-file={folder}/counts"]
    ranks = [*launcher, "-n", "1", *valgrind, program, str(shared), ":", "-n", "1", program, str(shared)]
    environment = {**os.environ, "MALLOC_PERTURB_": "0"}  # meson asks for new memory to be filled: no path of weft's, but counted
    done = subprocess.run(ranks, stdin=subprocess.DEVNULL, timeout=240, check=False, env=environment)
    if done.returncode != 0:
        sys.exit(f"instructions: {' '.join(ranks)}: exit code {done.returncode}")


def counts_of(folder):
    """Instructions a call by label, from callgrind's dumps (counts.1, counts.2, ...)."""
    counts = {}
    for dump in sorted(folder.glob("counts.*")):
        text = dump.read_text()
        label = re.search(r"^desc: Trigger: Client Request: (\S+)$", text, re.MULTILINE)
        total = re.search(r"^(?:summary|totals): (\d+)", text, re.MULTILINE)
        if label and total:
            counts[label[1]] = int(total[1]) / REPETITIONS
    own = counts.pop("nothing")
    return {label: count - own for label, count in counts.items()}


def counted(program, launcher):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run(program, launcher, folder)
        counts = counts_of(folder)
    for label in ("window-sent", "window-received"):
        counts[f"{label}, each"] = counts.pop(label) / WINDOW
    counts["send + receive"] = counts["send"] + counts["receive"]
    return counts


def over_budget(counts):
    return [label for label, budget in BUDGETS.items() if counts[label] > budget]


def main():
    program, *launcher = sys.argv[1:]
    if shutil.which("valgrind") is None:
        print("valgrind is not installed")
        sys.exit(SKIPPED)
    counts = {}
    for _ in range(RUNS):
        for label, count in counted(program, launcher).items():
            counts[label] = min(count, counts.get(label, count))
        if not over_budget(counts):
            break
    for label, count in counts.items():
        print(f"{label:22} {count:8.1f} instructions" + (f", budget {BUDGETS[label]}" if label in BUDGETS else ""))
    sys.exit(1 if over_budget(counts) else 0)


if __name__ == "__main__":
    main()
