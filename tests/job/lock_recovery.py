#!/usr/bin/env python3
"""Runs lock_recovery.c in a job that survives the death of a rank: a shell stands between the launcher and each rank, and stays
until the survivors are through.

usage: lock_recovery.py LAUNCHER PROGRAM RANKS HOW
"""
import pathlib
import re
import subprocess
import sys
import tempfile

stays = '"$@"; n=0; while [ ! -e over ] && [ $n -lt 600 ]; do sleep 0.1; n=$((n + 1)); done; exit 0'


def main():
    launcher, program, ranks, how = sys.argv[1:]
    launcher, program = (pathlib.Path(name).resolve() for name in (launcher, program))
    with tempfile.TemporaryDirectory(prefix='weft-lock-') as folder:
        run = subprocess.run([launcher, '-n', ranks, 'sh', '-c', stays, 'sh', program, how], cwd=folder, stdin=subprocess.DEVNULL,
                             capture_output=True, text=True, timeout=120)
    found = re.findall(r'^rank (\d+) is number (\d+): (\w+), owner (\d+)$', run.stdout, re.M)
    survivors = int(ranks) - (2 if how == 'queue' else 1)
    faults = []
    if len(found) != survivors:
        faults.append(f'{len(found)} survivors had the lock, expected {survivors}')
    for rank, place, outcome, owner in found:
        wanted = 'recovered' if place == '0' else 'taken'
        if outcome != wanted or owner != rank:
            faults.append(f'rank {rank}, number {place}: {outcome}, expected {wanted}; owner {owner}')
    if faults:
        sys.exit('\n'.join([*faults, f'--- exit code {run.returncode}', run.stdout, run.stderr]))


main()
