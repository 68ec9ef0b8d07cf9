/** What becomes of the results of a test run: which files run again, and what is counted. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { evaluateInBootstrap as evaluate } from '../../support/bootstrap-script.ts';

const root = join(import.meta.dirname, '..', '..', '..');

describe('totals', () => {
  const folder = mkdtempSync(join(tmpdir(), 'orch-totals-'));
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  const results = (numFailedTests: number, numRuntimeErrorTestSuites: number): string =>
    JSON.stringify({
      numPassedTests: 4,
      numFailedTests,
      numRuntimeErrorTestSuites,
      numPendingTests: 1,
      numTodoTests: 0,
    });
  const cases = [
    { name: 'adds up', text: results(0, 0), code: 0, want: 'true 5 passed, 0 failed, 1 skipped' },
    { name: 'counts failures', text: results(2, 0), code: 1, want: 'false 5 passed, 2 failed, 1 skipped' },
    {
      name: 'counts files that do not load',
      text: results(0, 1),
      code: 1,
      want: 'false 5 passed, 1 failed, 1 skipped',
    },
    {
      name: 'believes the exit code',
      text: results(0, 0),
      code: 1,
      want: 'false 5 passed, 1 failed, 1 skipped',
    },
    {
      name: 'takes a missing file for a failure',
      text: undefined,
      code: 137,
      want: 'false 1 passed, 1 failed',
    },
  ];
  test.each(cases)('$name', ({ name, text, code, want }) => {
    const file = join(folder, `${name}.json`);
    if (text !== undefined) writeFileSync(file, text);
    const script = `import { Totals } from './totals.mjs';
      const totals = new Totals(); totals.add(true);
      console.log(totals.addJest(process.argv[1], Number(process.argv[2])), String(totals));`;
    expect(evaluate(script, file, String(code)).out).toBe(want);
  });
});

describe('files that run a second time, alone', () => {
  const folder = mkdtempSync(join(tmpdir(), 'orch-second-run-'));
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });
  const result = (path: string, title: string, message: string): object => ({
    name: join(root, 'test', 'unit', path),
    status: 'failed',
    message: `tests of ${path}`,
    assertionResults: [
      { status: 'passed', fullName: 'another', failureMessages: [] },
      { status: 'failed', fullName: title, failureMessages: [message] },
    ],
  });
  const passed = {
    name: join(root, 'test/unit/a.test.ts'),
    status: 'passed',
    message: '',
    assertionResults: [],
  };
  const slow = result('http/slow.test.ts', 'is quick', 'took 70 ms');
  const unreadable = { ...slow, message: 'does not load', assertionResults: [] };

  test.each<[string, object[], unknown]>([
    ['none of a suite that passed', [passed], undefined],
    [
      'what failed',
      [passed, slow],
      { patterns: [String.raw`http/slow\.test\.ts$`], tests: ['http/slow.test.ts: is quick'] },
    ],
    [
      'a file that failed as a whole',
      [unreadable],
      { patterns: [String.raw`http/slow\.test\.ts$`], tests: ['http/slow.test.ts'] },
    ],
    ['none where a seed failed', [slow, result('b.test.ts', 'holds', 'Property failed, seed: 7')], undefined],
    ['none where many failed', [slow, slow, slow, slow], undefined],
  ])('%s', (_, testResults, want) => {
    const file = join(folder, 'results.json');
    writeFileSync(file, JSON.stringify({ testResults }));
    const script = `import { secondRunOf } from './second-run.mjs';
      console.log(JSON.stringify(secondRunOf(process.argv[1], 'unit')));`;
    expect(evaluate(script, file).out).toBe(want === undefined ? 'undefined' : JSON.stringify(want));
  });

  test('count as passed, and are named', () => {
    const file = join(folder, 'totals.json');
    writeFileSync(
      file,
      JSON.stringify({ numPassedTests: 4, numFailedTests: 1, numPendingTests: 1, numTodoTests: 0 }),
    );
    const script = `import { Totals } from './totals.mjs';
      const totals = new Totals(); totals.addUnsteady(process.argv[1], ['a: b']);
      console.log(String(totals), totals.ok, totals.unsteady.join());`;
    expect(evaluate(script, file).out).toBe('5 passed, 0 failed, 1 skipped true a: b');
  });
});
