import { describeExit, exitReason } from '../../../src/workers/exit-reason.ts';

const fatal = 'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory';

const cases = [
  {
    name: 'the limit of the heap',
    signal: 'SIGABRT',
    code: null,
    output: fatal,
    oomKills: 0,
    want: 'out_of_memory',
  },
  {
    name: 'the same below a shell',
    signal: null,
    code: 134,
    output: fatal,
    oomKills: 0,
    want: 'out_of_memory',
  },
  {
    name: 'the kernel, for memory',
    signal: 'SIGKILL',
    code: null,
    output: '',
    oomKills: 1,
    want: 'out_of_memory',
  },
  { name: 'a kill', signal: 'SIGKILL', code: null, output: fatal, oomKills: 0, want: 'signal' },
  { name: 'an abort', signal: 'SIGABRT', code: null, output: 'assertion', oomKills: 1, want: 'signal' },
  { name: 'an uncaught error', signal: null, code: 1, output: 'out of memory?', oomKills: 0, want: 'exit' },
];

test.each(cases)('$name: $want', ({ code, signal, output, oomKills, want }) => {
  expect(exitReason({ code, signal, problem: '' }, output, oomKills)).toBe(want);
});

test('in words', () => {
  expect(describeExit({ code: null, signal: 'SIGKILL', problem: '' })).toBe('SIGKILL');
  expect(describeExit({ code: 3, signal: null, problem: '' })).toBe('code 3');
  expect(describeExit({ code: null, signal: null, problem: 'no such file' })).toBe('no such file');
});
