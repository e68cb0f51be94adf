#!/usr/bin/env python3
"""Runs a job with every rank under valgrind; any error, and any block definitely or indirectly lost, fails it. No suppressions.

Blocks that libpmix allocates and loses by itself inside PMIx_Init or PMIx_Finalize are counted apart and told, not judged:
nothing outside that library can free them.
usage: valgrind.py VALGRIND WEFTRUN RANKS PROGRAM ARGUMENTS...
"""
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

watched_leaks = 'definite,indirect'


def frames(error):
    return [(frame.findtext('fn') or '?', pathlib.PurePath(frame.findtext('obj') or '').name) for frame in error.find('stack')]


def of_pmix(error):
    """A leak whose allocation, below malloc and strdup, is made by libpmix."""
    if not error.findtext('kind', '').startswith('Leak_'):
        return False
    for function, library in frames(error):
        if not library.startswith(('vgpreload', 'libc.')):
            return library.startswith('libpmix')
    return False


def main():
    valgrind, weftrun, ranks, *program = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        watch = [valgrind, '--xml=yes', f'--xml-file={folder}/%p.xml', '--child-silent-after-fork=yes', '--leak-check=full',
                 f'--show-leak-kinds={watched_leaks}', f'--errors-for-leak-kinds={watched_leaks}']
        run = subprocess.run([weftrun, '-n', ranks, *watch, *program], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        reports = sorted(pathlib.Path(folder).glob('*.xml'))
        errors = [error for report in reports for error in xml.parse(report).getroot().findall('error')]
    faults = [error for error in errors if not of_pmix(error)]
    print(f'{len(reports)} reports, {len(faults)} errors, {len(errors) - len(faults)} blocks lost by libpmix itself')
    for error in faults:
        print(error.findtext('what') or error.findtext('xwhat/text'))
        print(''.join(f'    {function} ({library})\n' for function, library in frames(error)))
    if run.returncode != 0 or run.stderr:
        print(f'exit code {run.returncode}\n{run.stdout}{run.stderr}')
    sys.exit(bool(faults) or run.returncode != 0 or bool(run.stderr) or len(reports) != int(ranks))


main()
