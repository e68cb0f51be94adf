#!/usr/bin/env python3
"""Prints every test that failed in a meson log (testlog.json) with the end of what it printed; says nothing when all passed.

usage: failed_tests.py LOG   Called by tools/check, at its end: who sees only the last lines of a run must see why it failed.
"""
import json
import pathlib
import sys

PASSED = {"OK", "EXPECTEDFAIL", "SKIP"}
LAST_LINES = 20  # of a failed test's output; the whole is in the log

for line in pathlib.Path(sys.argv[1]).read_text().splitlines():
    test = json.loads(line)
    if test["result"] in PASSED:
        continue
    print(f"{test['name']}: {test['result']} after {test['duration']:.0f} s")
    output = test.get("stdout", "").splitlines() + test.get("stderr", "").splitlines()
    print("".join(f"    {text}\n" for text in output[-LAST_LINES:]), end="")
