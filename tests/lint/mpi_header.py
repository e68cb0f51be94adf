#!/usr/bin/env python3
"""mpi.h says what the standard says: every constant's value and type, the status's layout, every call's prototype and twin.

Writes one program from mpi_constants.txt and mpi_calls.txt and lets the compiler judge, as C and as C++; runs it, since the
value of a pointer constant is not for a static assertion to look at.
usage: mpi_header.py HEADER LANGUAGE COMPILER...
"""
import pathlib
import re
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).parent
layout = {'sizeof(MPI_Status)': 32, 'offsetof(MPI_Status, MPI_SOURCE)': 0, 'offsetof(MPI_Status, MPI_TAG)': 4,
          'offsetof(MPI_Status, MPI_ERROR)': 8, 'offsetof(MPI_Status, MPI_internal)': 12,
          'sizeof(MPI_Aint)': 'sizeof(void *)', 'sizeof(MPI_Count)': 8, 'sizeof(MPI_Offset)': 8, 'sizeof(MPI_Fint)': 4,
          'sizeof(MPI_T_cb_safety)': 4, 'sizeof(MPI_T_source_order)': 4}


def rows(name):
    return [line for line in (here / name).read_text().splitlines() if line and not line.startswith('#')]


def program(constants, calls):
    text = ['#include <mpi.h>', '#include <stddef.h>', '#include <stdio.h>', '#ifdef __cplusplus', 'extern "C" {',
            '#define assert_now(what, text) static_assert(what, text)', '#define same(constant, type) (void)[](type){}(constant)',
            '#else', '#define assert_now(what, text) _Static_assert(what, text)',
            '#define same(constant, type) _Static_assert(_Generic((constant), type: 1, default: 0), "type of " #constant)',
            '#endif']
    # A prototype which differs from the header's is an error; a call the header lacks shows as an unknown name below
    for call in calls:
        text += [call + ';', re.sub(r'\bMPI_(\w+)\(', r'PMPI_\1(', call, count=1) + ';']
    text += [f'assert_now({what} == {value}, "{what}");' for what, value in layout.items()]
    text += ['#ifdef __cplusplus', '}', '#endif', 'int main(void) {', 'int wrong = 0;']
    for name, value, kind in constants:
        text.append(f'same({name}, {kind.replace("*", " *")});')
        if kind == 'int':
            text.append(f'assert_now({name} == {value}, "{name}");')
        text.append(f'if ((intptr_t)({name}) != {value}) wrong = 1, printf("{name} is not {value}\\n");')
    return '\n'.join(text + ['return wrong;', '}', ''])


def undeclared(header, names):
    """Names the header declares or defines without the table knowing them, and the other way round."""
    text = re.sub(r'/\*.*?\*/', '', header.split('#ifndef WEFT_MPI_ABI_ONLY')[0], flags=re.S)
    found = set(re.findall(r'^(?:int|double|MPI_\w+) (P?MPI_\w+)\(', text, re.M))
    found |= set(re.findall(r'^#define (MPI_\w+)[ \t]+\S', text, re.M)) | set(re.findall(r'^ +(MPI_T_\w+) +=', text, re.M))
    return sorted(found ^ names)


def main():
    header, language, *compiler = sys.argv[1:]
    constants = [row.split(None, 2) for row in rows('mpi_constants.txt')]
    calls = rows('mpi_calls.txt')
    names = {re.search(r'(MPI_\w+)\(', call)[1] for call in calls}
    text = pathlib.Path(header).read_text()
    strays = undeclared(text, names | {'P' + name for name in names} | {row[0] for row in constants})
    if strays:
        sys.exit('either mpi.h or the tables lack: ' + ' '.join(strays))
    listed = set(re.findall(r'WEFT_MPI_CALL\((MPI_\w+)\)', (here / '../../tools/mpi_calls.inc').read_text()))
    if listed != names:
        sys.exit('tools/mpi_calls.inc and mpi_calls.txt differ: ' + ' '.join(sorted(listed ^ names)))
    with tempfile.TemporaryDirectory() as folder:
        source, binary = pathlib.Path(folder) / f'check.{language}', pathlib.Path(folder) / 'check'
        source.write_text(program(constants, calls))
        command = [*compiler, f'-I{pathlib.Path(header).parent}', str(source), '-o', str(binary)]
        sys.exit(subprocess.run(command).returncode or subprocess.run([binary]).returncode)


main()
