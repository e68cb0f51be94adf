#!/usr/bin/env python3
"""A program built against any library of the standard's binary interface runs on weft unchanged.

The any library is a stub: every call of the standard, all empty, under the standard's name. Nothing of weft is there when the
program is compiled but its mpi.h, and that is the standard's.
usage: standard_name.py BUILD SOURCE
"""
import pathlib
import re
import sys

from staged import Staged, clean, expect, expect_hello, run


def main():
    build, source = sys.argv[1:]
    staged = Staged(build)
    calls = re.findall(r'(MPI_\w+)\(', (pathlib.Path(source) / 'tests/lint/mpi_calls.txt').read_text())
    stub, program = staged.work / 'stub', staged.work / 'hello'
    stub.mkdir()
    (stub / 'stub.c').write_text(''.join(f'void {name}(void) {{}}\nvoid P{name}(void) {{}}\n' for name in calls))
    run('cc', '-shared', '-fPIC', '-Wl,-soname,libmpi_abi.so.0', stub / 'stub.c', '-o', stub / 'libmpi_abi.so.0')
    run('cc', f'-I{staged.prefix}/include/weft/mpi', f'{source}/tests/install/hello.c', stub / 'libmpi_abi.so.0', '-o', program)

    folders = {'installed': staged.libraries / 'weft', 'built': pathlib.Path(build) / 'tools/wrapper'}
    for where, folder in folders.items():
        environment = {**clean(), 'LD_LIBRARY_PATH': str(folder)}
        loaded = run('ldd', program, env=environment)
        expect(f'libmpi_abi.so.0 => {folder}' in loaded, f'{where}: the program loads\n{loaded}')
        expect_hello(run(program, env=environment))
    # Under the launcher nothing has to be set: it knows where its library is
    expect_hello(run(staged.prefix / 'bin/weftrun', '-n', 2, program), 2)


main()
