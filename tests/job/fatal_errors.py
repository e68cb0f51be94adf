# What a program sees that makes a mistake under the default error handler (pain case ER01): one line that names rank,
# host, call, argument, value and limit; an exit code that is not 0; nothing lost of its output; nobody left waiting.
# Started by meson with WEFTRUN and the program; every mistake is made by rank 2 of 3.
import os
import socket
import subprocess
import sys
import unittest

WEFTRUN, PROGRAM = os.environ['WEFTRUN'], os.environ['FATAL_ERRORS']
HANG_S = 60

# mistake: what the line must say
MISTAKES = {
    'rank': ['MPI_Send', 'dest is 3', '0 .. 2', 'MPI_ERR_RANK', 'MPI_COMM_WORLD'],
    'source': ['MPI_Recv', 'source is -77', '0 .. 2', 'MPI_ERR_RANK'],
    'tag': ['MPI_Send', 'tag is -5', '0 .. 2147483647', 'MPI_ERR_TAG'],
    'count': ['MPI_Send', 'count is -1', '0 or more', 'MPI_ERR_COUNT'],
    'null_communicator': ['MPI_Comm_rank', 'MPI_COMM_NULL', 'MPI_ERR_COMM'],
    'freed_communicator': ['MPI_Comm_size', 'comm is 0x', 'not freed', 'MPI_ERR_COMM'],
    'freed_request': ['MPI_Start', 'request is 0x', 'not freed', 'MPI_ERR_REQUEST'],
    'datatype': ['MPI_Send', 'MPI_DATATYPE_NULL', 'MPI_ERR_TYPE'],
    'root': ['MPI_Bcast', 'root is 6', '0 .. 2', 'MPI_ERR_ROOT'],
    'operation': ['MPI_Allreduce', 'MPI_OP_NULL', 'MPI_ERR_OP'],
    'truncated': ['MPI_Recv', '8 bytes', '4', 'MPI_ERR_TRUNCATE', 'self of the test'],
    'keyval': ['MPI_Comm_set_attr', 'keyval is 125269879', 'MPI_ERR_KEYVAL'],
    'color': ['MPI_Comm_split', 'color is -9', 'MPI_UNDEFINED', 'MPI_ERR_ARG'],
    'group_rank': ['MPI_Group_incl', 'is 99', '0 .. 2', 'MPI_ERR_RANK'],
    'second_init': ['MPI_Init', 'second time'],
    'raised': ['MPI_Comm_call_errhandler', 'MPI_ERR_IO'],
    'abort': ['MPI_Abort', 'error code 42'],
}
# variable: value, what the line must say
SETTINGS = {
    'WEFT_FABRICS': ('nowhere', ['MPI_Init', "'nowhere'", 'shm']),
    'WEFT_RING_SLOTS': ('3', ['MPI_Init', 'WEFT_RING_SLOTS', '3', 'power of two']),
    'WEFT_EAGER_LIMIT': ('many', ['MPI_Init', 'WEFT_EAGER_LIMIT', 'many', 'number of bytes']),
    'WEFT_PARADIGM': ('shout', ['MPI_Init', "'shout'", 'write-write']),
}


def run(*arguments, **settings):
    result = subprocess.run([WEFTRUN, '-n', '3', PROGRAM, *arguments], env={**os.environ, **settings}, text=True,
                            stdin=subprocess.DEVNULL, capture_output=True, timeout=HANG_S, check=False)
    return result.returncode, result.stdout, result.stderr.splitlines()


class FatalErrors(unittest.TestCase):
    def judge(self, code, lines, words):
        self.assertNotEqual(code, 0, lines)
        self.assertEqual(len(lines), 1, lines)
        for word in [*words, 'rank ', socket.gethostname().split('.')[0]]:
            self.assertIn(word, lines[0])

    def test_mistakes(self):
        for mistake, words in MISTAKES.items():
            with self.subTest(mistake):
                code, output, lines = run(mistake)
                self.judge(code, lines, ['rank 2', *words])
                self.assertIn('before the mistake', output)
                self.assertNotIn('the call came back', output)

    def test_abort_gives_its_code(self):
        self.assertEqual(run('abort')[0], 42)

    def test_outside_init_and_finalize(self):
        for mistake, words in {'before_init': ['MPI_Barrier', 'before MPI_Init'], 'after_finalize': ['MPI_Comm_rank', 'after MPI_Finalize']}.items():
            with self.subTest(mistake):
                code, _, lines = run(mistake)
                self.assertNotEqual(code, 0)
                told = [line for line in lines if words[1] in line]
                self.assertTrue(told, lines)
                self.assertIn(words[0], told[0])

    def test_failing_init(self):
        for variable, (value, words) in SETTINGS.items():
            with self.subTest(variable):
                code, _, lines = run('rank', **{variable: value})
                self.judge(code, lines, words)

    def test_ranks_with_other_settings(self):
        for setting in ('WEFT_PARADIGM=read-read', 'WEFT_RING_SLOTS=64'):
            with self.subTest(setting):
                result = subprocess.run([WEFTRUN, '-n', '1', PROGRAM, 'rank', ':', '-n', '2', 'env', setting, PROGRAM, 'rank'], text=True,
                                        stdin=subprocess.DEVNULL, capture_output=True, timeout=HANG_S, check=False)
                self.judge(result.returncode, result.stderr.splitlines(), ['MPI_Init', 'rank 0', 'other settings', setting[5:].lower().replace('_', '-')])


if __name__ == '__main__':
    sys.argv[1:] = ['-v'] if len(sys.argv) == 1 else sys.argv[1:]
    unittest.main()
