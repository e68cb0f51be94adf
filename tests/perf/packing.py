#!/usr/bin/env python3
"""Counts the instructions of packing under callgrind, a block of each shape of packing.c, against budgets.

usage: packing.py PROGRAM
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BLOCKS = 4096  # as in packing.c
BUDGETS = {"strided": 4, "subarray": 4, "listed": 5, "structs": 8}  # instructions a block
SKIPPED = 77  # meson's exit code for a test that cannot run here


def counted(program, shape):
    with tempfile.TemporaryDirectory() as name:
        counts = pathlib.Path(name) / "counts"
        command = ["valgrind", "-q", "--tool=callgrind", "--collect-atstart=no", f"--callgrind-out-file={counts}", program, shape]
        subprocess.run(command, stdin=subprocess.DEVNULL, timeout=120, check=True)
        return int(re.search(r"^(?:summary|totals): (\d+)", counts.read_text(), re.MULTILINE)[1]) / BLOCKS


def main():
    if shutil.which("valgrind") is None:
        print("valgrind is not installed")
        sys.exit(SKIPPED)
    over = False
    for shape, budget in BUDGETS.items():
        count = counted(sys.argv[1], shape)
        over |= count > budget
        print(f"{shape:10} {count:6.1f} instructions a block, budget {budget}")
    sys.exit(1 if over else 0)


if __name__ == "__main__":
    main()
