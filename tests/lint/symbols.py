#!/usr/bin/env python3
"""The library shows MPI_, PMPI_ and weft_ names only; each MPI_ call is weak, so that a tool may put its own in front, and has
its PMPI_ twin; and nothing of MPI is there that the standard doesn't know.

usage: symbols.py LIBRARY
"""
import pathlib
import re
import subprocess
import sys


def main():
    table = subprocess.run(['nm', '-D', '--defined-only', sys.argv[1]], check=True, capture_output=True, text=True).stdout
    kinds = {line.split()[-1]: line.split()[-2] for line in table.splitlines()}
    standard = set(re.findall(r'(MPI_\w+)\(', (pathlib.Path(__file__).parent / 'mpi_calls.txt').read_text()))
    calls = {name for name in kinds if name.startswith('MPI_')}
    twins = {name[1:] for name in kinds if name.startswith('PMPI_')}
    wrong = [f'{name} is visible' for name in kinds if not name.startswith(('MPI_', 'PMPI_', 'weft_'))]
    wrong += [f'{name} is not weak' for name in calls if kinds[name] not in 'WV']
    wrong += [f'{name} or its twin is missing' for name in calls ^ twins]
    wrong += [f'{name} is not in the standard' for name in calls - standard]
    sys.exit('\n'.join(sorted(wrong)) or 0)


main()
