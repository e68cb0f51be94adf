#!/usr/bin/env python3
"""mpi.h and weft.h warn of nothing, in any dialect, and neither do the constants a program takes from them.

A header calls itself a system header, which silences it; here it is compiled once as an ordinary one and once as users do.
usage: mpi_header_clean.py HEADER LANGUAGE COMPILER...
"""
import pathlib
import re
import subprocess
import sys

dialects = {'c': ['c89', 'c99', 'c11', 'gnu17'], 'cpp': ['c++98', 'c++11', 'c++17', 'c++20']}
strict = ['-pedantic', '-Wall', '-Wextra', '-Wshadow', '-Werror']
stricter = {'c': ['-Wconversion', '-Wstrict-prototypes', '-Wcast-qual', '-Wbad-function-cast'],
            'cpp': ['-Wconversion', '-Wold-style-cast', '-Wcast-qual', '-Wuseless-cast', '-Wzero-as-null-pointer-constant']}


def program(header):
    """Every constant used once, and some of the names from outside the standard's interface."""
    names = re.findall(r'^#define (MPI_\w+)[ \t]+\(\((MPI_\w+)\)\d', header, re.M)
    uses = ''.join(f'    {{ {kind} value = {name}; if (value == {name}) count++; }}\n' for name, kind in names)
    return f'''#include <mpi.h>
int main(void) {{
    int count = 0;
    MPI_Aint extent;
    MPI_Comm parent = MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_WORLD));
{uses}    MPI_Send(MPI_BOTTOM, 0, MPI_BYTE, MPI_PROC_NULL, 0, parent);
    MPI_Recv(MPI_BOTTOM, 0, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, parent, MPI_STATUS_IGNORE);
    MPI_Type_extent(MPI_INT, &extent);
    MPI_Address(&extent, &extent);
    return count;
}}
'''


def weft_program(header):
    """Every call declared by weft.h used as a function, every constant as a value."""
    calls = re.findall(r'^(?:int|int64_t) (weft_\w+)\(', header, re.M)
    constants = re.findall(r'^#define (WEFT_\w+)[ \t]+\S', header, re.M)
    kinds = {name: 'double' if 'LIMIT' in name else f'weft_{name.split("_")[1].lower()}' if name.endswith('_NULL') else 'int' for name in constants}
    uses = ''.join(f'    {{ {kinds[name]} value = {name}; if (value == {name}) count++; }}\n' for name in constants)
    taken = ''.join(f'    {{ void (*call)(void) = (void (*)(void)){name}; if (call) count++; }}\n' for name in calls)
    return f'#include <weft.h>\nint main(void) {{\n    int count = 0;\n{uses}#ifndef __cplusplus\n{taken}#endif\n    return count;\n}}\n'


def main():
    header, language, *compiler = sys.argv[1:]
    is_mpi = pathlib.Path(header).name == 'mpi.h'
    text = (program if is_mpi else weft_program)(pathlib.Path(header).read_text())
    known = [flag for flag in stricter[language] if subprocess.run(
        [*compiler, '-Werror', flag, '-x', language.replace('cpp', 'c++'), '-fsyntax-only', '-'], input='', text=True,
        stderr=subprocess.DEVNULL).returncode == 0]
    failed = []
    for dialect in dialects[language]:
        for flags in (['-DWEFT_MPI_WARNINGS'], known, ['-DWEFT_MPI_ABI_ONLY', '-DWEFT_MPI_WARNINGS']):
            source = '#include <mpi.h>\nint main(void) { return 0; }\n' if '-DWEFT_MPI_ABI_ONLY' in flags else text
            command = [*compiler, f'-std={dialect}', *strict, *flags, f'-I{pathlib.Path(header).parent}',
                       '-x', language.replace('cpp', 'c++'), '-fsyntax-only', '-']
            if subprocess.run(command, input=source, text=True).returncode != 0:
                failed.append(' '.join(command))
    sys.exit('\n'.join([f'{pathlib.Path(header).name} is not clean under:', *failed]) if failed else 0)


main()
