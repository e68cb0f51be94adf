"""An installation of weft in a folder of its own, moved away from the prefix it was built for; removed with the object."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


class Staged:
    def __init__(self, build):
        self._folder = tempfile.TemporaryDirectory(prefix='weft-install-')
        folder = pathlib.Path(self._folder.name)
        run('meson', 'install', '-C', build, '--no-rebuild', '--quiet', '--destdir', folder / 'staged')
        bin_folder = next((folder / 'staged').rglob('bin/weftcc')).parent
        self.prefix = folder / 'moved'
        shutil.move(bin_folder.parent, self.prefix)
        self.names = self.prefix / 'libexec' / 'weft'
        self.libraries = next(self.prefix.rglob('libweft.so.0')).parent
        for file in self.prefix.rglob('*.pc'):      # those which don't follow their place, by the packager's choice, are told
            file.write_text(re.sub(r'^prefix=/.*', f'prefix={self.prefix}', file.read_text(), flags=re.M))
        self.work = folder / 'work'
        self.work.mkdir()

    def environment(self, **more):
        """What a user has whose PATH starts with weft's names, and nothing else of weft."""
        return {**clean(), 'PATH': f'{self.names}/bin:{os.environ["PATH"]}', **more}


def clean():
    """The surroundings without what points at a library, a compiler or another MPI."""
    unwanted = ('LD_LIBRARY_PATH', 'MPI_HOME', 'CC', 'CXX', 'CFLAGS', 'CXXFLAGS', 'LDFLAGS', 'PKG_CONFIG_PATH', 'DESTDIR')
    return {name: value for name, value in os.environ.items() if name not in unwanted and not name.startswith('WEFT_')}


def run(*command, env=None, cwd=None):
    """The output of a command that must succeed; what it said is shown when it doesn't."""
    done = subprocess.run([str(word) for word in command], env=env or clean(), cwd=cwd, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        sys.exit(f'{" ".join(str(word) for word in command)}: exit {done.returncode}\n{done.stdout}')
    return done.stdout


def expect(what, text):
    if not what:
        sys.exit(text)


def expect_hello(output, ranks=1):
    """hello.c's and hello.cpp's line, once a rank."""
    lines = sorted(output.split('\n'))
    expect([line for line in lines if line] == [f'rank {rank} of {ranks}, MPI 5.0, weft' for rank in range(ranks)],
           f'hello on {ranks} rank(s) printed: {output}')
