#!/usr/bin/env python3
"""What an installation consists of, and that it can stand anywhere beside anything: nothing in it names where it was built or
meant to go, nothing takes a name another MPI would take, two of them don't meet.

usage: tree.py BUILD SOURCE
"""
import sys

from staged import Staged, clean, expect, expect_hello, run

wanted = ['bin/weftcc', 'bin/weftcxx', 'bin/weftrun', 'bin/weft-info', 'bin/weft-bench', 'include/weft/mpi/mpi.h',
          'include/weft.h', 'include/weft/weft.hpp', 'include/weft/counter.hpp', 'include/weft/lock.hpp']
wanted += [f'libexec/weft/bin/{name}' for name in ('mpicc', 'mpicxx', 'mpic++', 'mpiCC', 'mpirun', 'mpiexec')]
wanted_libraries = ['libweft.so', 'libweft.so.0', 'weft/libmpi_abi.so', 'weft/libmpi_abi.so.0', 'pkgconfig/weft.pc']


def main():
    build, source = sys.argv[1:]
    one, other = Staged(build), Staged(build)
    lacking = [name for name in wanted if not (one.prefix / name).exists()]
    lacking += [name for name in wanted_libraries if not (one.libraries / name).exists()]
    expect(not lacking, f'not installed, or links into nowhere: {lacking}')
    for path in one.prefix.rglob('*'):
        if path.is_file() and not path.is_symlink():
            text = path.read_bytes()
            for place in (build, source):
                expect(place.encode() not in text, f'{path.relative_to(one.prefix)} names {place}')
        taken = path.name.startswith(('mpi', 'libmpi')) and not {'weft'} & set(path.relative_to(one.prefix).parts)
        expect(not taken, f'{path.relative_to(one.prefix)} would meet another MPI')

    hello = f'{source}/tests/install/hello.c'
    for staged in (one, other):
        program = staged.work / 'hello'
        run(staged.prefix / 'bin/weftcc', '-Werror', hello, '-o', program)
        loaded = run('ldd', program)
        expect(str(staged.prefix) in loaded and 'not found' not in loaded, f'{program} loads\n{loaded}')
        expect_hello(run(program))
        flags = run('pkg-config', '--cflags', '--libs', 'weft', env={**clean(), 'PKG_CONFIG_PATH': staged.libraries / 'pkgconfig'})
        expect(str(staged.prefix) in flags, f'weft.pc doesn\'t follow its prefix: {flags}')
        run('cc', hello, *flags.split(), f'-Wl,-rpath,{staged.libraries}', '-o', program)
        expect_hello(run(program))


main()
