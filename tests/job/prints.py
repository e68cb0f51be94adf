#!/usr/bin/env python3
"""Runs a command that must exit 0, print a line that matches a regular expression, and leave standard error empty.

usage: prints.py REGULAR_EXPRESSION -- COMMAND...
"""
import re
import subprocess
import sys

pattern, separator, *command = sys.argv[1:]
assert separator == '--'
run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
faults = []
if run.returncode != 0:
    faults.append(f'exit code {run.returncode}')
if not re.search(pattern, run.stdout):
    faults.append(f'no line matches {pattern!r}')
if run.stderr:
    faults.append('something on standard error')
if faults:
    print(', '.join(faults), f'\n{" ".join(command)}\n--- standard output\n{run.stdout}--- standard error\n{run.stderr}')
sys.exit(bool(faults))
