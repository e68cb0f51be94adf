#!/usr/bin/env python3
"""weft-info: what it says as JSON is whole and true, alone and in a job.

usage: info.py WEFT-INFO WEFTRUN
"""
import json
import os
import subprocess
import sys


def facts(command, **variables):
    environment = {**os.environ, **variables}
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, env=environment, check=False)
    assert done.returncode == 0, f"{command}: exit code {done.returncode}\n{done.stderr}"
    return json.loads(done.stdout)


def main():
    info, weftrun = sys.argv[1:]
    everything = facts([info, "--json"])
    assert list(everything) == ["version", "topology", "fabrics", "paradigms", "options", "calls"], list(everything)
    assert everything["topology"]["processors"] == os.cpu_count()
    assert [row["fabric"] for row in everything["fabrics"]][:2] == ["self", "shm"]

    calls = everything["calls"]
    assert calls["present"] + calls["missing count"] == calls["standard"] == calls["present"] + len(calls["missing"])
    assert calls["present"] > 0 and "MPI_Init" not in calls["missing"]

    options = facts([info, "options", "--json"], WEFT_EAGER_LIMIT="8k")["options"]["table"]
    (eager,) = (row for row in options if row["option"] == "eager-limit")
    assert eager["value"] == "8k" and eager["origin"] == "WEFT_EAGER_LIMIT" and eager["help"], eager

    peers = facts([weftrun, "-n", "3", info, "paradigms", "--json"])["paradigms"]["peers of rank 0 of 3"]
    assert [(row["peer"], row["fabric"]) for row in peers] == [(0, "self"), (1, "shm"), (2, "shm")], peers
    assert all(row["paradigm"] == "write-write" and row["reason"] for row in peers), peers


if __name__ == "__main__":
    main()
