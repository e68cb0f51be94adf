#!/usr/bin/env python3
"""weft-bench as its users meet it: every subcommand in every format, and the line it says when ranks are missing.

usage: bench.py WEFT-BENCH WEFTRUN
"""
import csv
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile

COMMANDS = {"latency": "ns", "bandwidth": "GB/s", "rate": "M/s", "collectives": "ns", "limits": "ns"}


def run(command, expected_code=0):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == expected_code, f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def check_rows(command, rows):
    assert rows, f"{command}: no rows"
    for row in rows:
        low, middle, high = (float(row[name]) for name in ("p10", "median", "p99"))
        assert 0 < low <= middle <= high, f"{command}: {row}"
        assert int(row["windows"]) >= 1, f"{command}: {row}"
    assert rows[0]["unit"] == COMMANDS[command]
    if command != "limits":
        assert all(float(row["ratio"]) > 0 and float(row["limit"]) > 0 for row in rows), f"{command}: no limits: {rows}"


def check_primitives(weftrun, bench):
    """On the RDMA device that there is, or the line that says there is none."""
    job = [weftrun, "-n", "2", bench, "primitives", "--seconds", "0.002", "--format", "json"]
    if os.path.isdir("/sys/class/infiniband") and os.listdir("/sys/class/infiniband"):
        records = json.loads(run(job).stdout)["records"]
        assert [record["operation"] for record in records] == ["SEND", "WRITE", "READ", "FAA", "CAS"], records
        for record in records:
            assert record["ops/s"] > 0 and 0 < record["p50 us"] <= record["p99 us"] <= record["p99.9 us"], record
    else:
        said = run(job, expected_code=3).stderr.splitlines()
        assert len(said) == 2 and "rank 0" in said[0] and "no RDMA device" in said[0] and "exited with code 3" in said[1], said
    wrong = run([weftrun, "-n", "2", bench, "primitives", "--measure", "guess"], expected_code=105)
    assert wrong.stderr.count("guess") == 1, wrong.stderr


def check_paradigms(weftrun, bench):
    """The echo by one, two and three clients, windows, two servers, two pollers; every request is timed."""
    job = [weftrun, "-n", "5", bench, "paradigms", "--seconds", "0.002", "--format", "json"]
    sweeps = {("--clients", "1,2,3", "--windows", "1,16", "--sizes", "0,8,64k"): 18, ("--servers", "1,2", "--pollers", "1,2", "--clients", "3"): 4}
    for sweep, points in sweeps.items():
        records = json.loads(run([*job, *sweep]).stdout)["records"]
        assert len(records) == points, records
        for record in records:
            assert record["requests/s"] > 0 and 0 < record["p50 us"] <= record["p99 us"] <= record["p99.9 us"], record
            assert record["samples"] > 0 and record["client CPU"] >= 0 and record["server CPU"] >= 0, record
    wrong = run([*job, "--clients", "5"], expected_code=2)
    assert "this job has 5" in wrong.stderr, wrong.stderr
    together = json.loads(run([bench, "paradigms", "--all", "--paradigms", "write-write,read-read,no-such", "--seconds", "0.002", "--format", "json"],
                              expected_code=1).stdout)["records"]
    assert [record["paradigm"] for record in together] == ["write-write", "read-read"], together
    assert together[0]["wasted READs a request"] == 0 < together[1]["wasted READs a request"], together


def check_paper(bench):
    """A tiny run of the whole, over what is there without an RDMA device too; the page needs no other file."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "new" / "paper"
        said = run([bench, "paper", "--quick", "--clients", "2", "--fabrics", "shm", "--out", str(out)])
        assert "paper.html" in said.stdout, said
        document = json.loads((out / "paper.json").read_text())
        verdicts = [claim["holds"] for claim in document["claims"]]
        assert verdicts[:4] == ["not judged: quick"] * 4 and len(verdicts) == 5, document["claims"]
        assert all("x (" in claim["seen"] for claim in document["claims"][:4]), document["claims"]
        measured = document["measurements"]["paradigms"]["records"]
        for paradigm in ("write-write", "write-read", "read-read", "send-send"):
            assert {record["clients"] for record in measured if record["paradigm"] == paradigm} == {1, 2}, measured
        notes = document["measurements"]["paradigms"]["notes"]
        assert len(notes) == 1 and "socket-socket" in notes[0] and "'stream'" in notes[0], notes
        page = (out / "paper.html").read_text()
        assert page.count("<figure") == len(document["figures"]) and "http" not in page and "<svg" in page
        assert list(csv.DictReader((out / "fig13.csv").open()))[0]["paradigm"] == "write-write"


def main():
    bench, weftrun = sys.argv[1:]
    quick = ["--sizes", "8", "--seconds", "0.002"]
    for command in COMMANDS:
        job = [weftrun, "-n", "2", bench, command, *quick]
        report = json.loads(run([*job, "--format", "json"]).stdout)
        assert report["ranks"] == 2 and report["command"] == command
        check_rows(command, report["rows"])
    job = [weftrun, "-n", "2", bench, "limits", *quick]
    check_rows("limits", list(csv.DictReader(io.StringIO(run([*job, "--format", "csv"]).stdout))))
    table = run(job).stdout.splitlines()
    assert table[0].startswith("weft-bench limits: 2 ranks") and len(table) == 2 + len(report["rows"]), table
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "report.json"
        said = run([weftrun, "-n", "2", bench, "rate", *quick, "--format", "json", "--out", str(file)])
        assert said.stdout == "" and json.loads(file.read_text())["rows"], said
    check_primitives(weftrun, bench)
    check_paradigms(weftrun, bench)
    check_paper(bench)
    alone = run([bench, "latency"], expected_code=2)
    assert alone.stderr.count("\n") == 1 and "weftrun -n 2 weft-bench latency" in alone.stderr, alone.stderr
    wrong = run([weftrun, "-n", "2", bench, "latency", "--sizes", "8x"], expected_code=2)
    assert "'8x'" in wrong.stderr, wrong.stderr


if __name__ == "__main__":
    main()
