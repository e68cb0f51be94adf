#!/usr/bin/env python3
"""jobs.py BUILD [--suite quick|long] [PATTERN]: runs the weft jobs of jobs.list in guests, as few boots as it takes.

BUILD is weft's build folder, with the programs built. A job fails by its exit code, by its limit, by what it leaves behind, or by the
loss of a guest; the next ones then get fresh guests. Tells one line a job, and the output of those that failed. Exit code 1 if
any failed, 77 if guests can't run here. WEFT_VM_MACHINE=qemu runs them in QEMU.
"""
import argparse
import dataclasses
import itertools
import os
import sys
import time

from cluster import LOST, Cluster, Setup, Trouble
import qemu
import uml

HERE = os.path.dirname(os.path.abspath(__file__))
MACHINES = {'uml': (uml, 256), 'qemu': (qemu, 1024)}   # and MB of a guest; a sanitizer needs them
CANNOT_RUN = 77


@dataclasses.dataclass(frozen=True)
class Job:
    program: str
    guests: int
    ranks: int
    device: str
    words: tuple
    limit_s: int
    suites: tuple

    def __str__(self):
        return f'{self.program}, {self.guests} x {self.ranks} ranks, {self.device} {" ".join(self.words)}'.rstrip()

    def command(self, build):
        """Options begin with -, variables have a =, the rest is for the program. Without ranks it runs by itself."""
        kind, name = self.program.split('/', 1)
        program = f'{build}/tests/{kind}/{name.replace("/", "_")}'
        options = [word for word in self.words if word.startswith('-')]
        arguments = [word for word in self.words if not word.startswith('-') and '=' not in word]
        if self.ranks == 0:
            return [program, *options, *arguments]
        hosts = ','.join(f'n{node}:{self.ranks}' for node in range(self.guests))
        where = ['-n', str(self.ranks)] if self.guests == 1 else ['--hosts', hosts, '--agent', f'{HERE}/enter %h']
        return [f'{build}/launcher/weftrun', *where, *options, program, *arguments]

    def environment(self):
        variables = {name: value for name, value in os.environ.items() if not name.startswith('WEFT_')}
        return variables | dict(word.split('=', 1) for word in self.words if '=' in word and not word.startswith('-'))


def alternatives(word):
    option, equals, value = word.partition('=')
    return [option + equals + each for each in value.split('/')] if option == '--paradigm' else [word]


def read_list():
    """A line that names several programs, or paradigms with / between, is a job for each combination."""
    with open(f'{HERE}/jobs.list') as file:
        for line in file:
            if line.strip() and not line.startswith('#'):
                programs, guests, ranks, device, words, limit_s, suites = (field.strip() for field in line.split('|'))
                for program, *chosen in itertools.product(programs.split(), *map(alternatives, words.split())):
                    yield Job(program, int(guests), int(ranks), device, tuple(chosen), int(limit_s), tuple(suites.split(',')))


def run_job(cluster, job, build):
    """Words on what was wrong, none if nothing was."""
    output = []
    began = time.monotonic()
    code = cluster.run(job.command(build), lambda _, __, data: output.append(data), ['n0'], job.limit_s, job.environment())['n0']
    wrong = {0: '', 124: f'no end within {job.limit_s} s', LOST: 'guest n0 is lost'}.get(code, f'exit code {code}')
    wrong = wrong or ('' if cluster.alive() else 'a guest is lost')
    for name, left in cluster.sweep().items():
        wrong = wrong or f'left behind on {name}: {", ".join(left)}'
    print(f'{"FAIL" if wrong else "ok"}  {time.monotonic() - began:6.1f} s  {job}{": " if wrong else ""}{wrong}', flush=True)
    if wrong:
        print(b''.join(output).decode(errors='replace')[-8000:], flush=True)
    return wrong


def run_all(jobs, build, machine, memory_mb, kernel):
    """How many failed. Jobs that need the same guests share a boot, until one of them loses a guest."""
    failed = 0
    for (guests, device), group in itertools.groupby(sorted(jobs, key=lambda job: (job.guests, job.device)), lambda job: (job.guests, job.device)):
        left = list(group)
        while left:
            try:
                with Cluster(Setup(machine, kernel, guests, memory_mb, device)) as cluster:
                    while left and cluster.alive():
                        failed += bool(run_job(cluster, left.pop(0), build))
            except Trouble as trouble:
                print(f'FAIL  {guests} guests with {device}, and so {len(left)} jobs: {trouble}')
                failed += len(left)
                break
    return failed


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('build')
    parser.add_argument('pattern', nargs='?', default='')
    parser.add_argument('--suite')
    chosen = parser.parse_args()
    machine, memory_mb = MACHINES[os.environ.get('WEFT_VM_MACHINE', 'uml')]
    kernel, missing = machine.kernel()
    if missing:
        print(f'jobs: skipped: {missing}')
        return CANNOT_RUN
    jobs = [job for job in read_list() if chosen.pattern in str(job) and (not chosen.suite or chosen.suite in job.suites)]
    failed = run_all(jobs, os.path.realpath(chosen.build), machine, memory_mb, kernel)
    print(f'{len(jobs)} jobs, {failed} failed')
    return 1 if failed else 0


sys.exit(main())
