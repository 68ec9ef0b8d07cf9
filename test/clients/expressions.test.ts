/**
 * The expressions' engine against the conformance data of the language, as its specification publishes them: what becomes
 * of the cases of each file is what the guide of the room says, and no case fails that has no reason here. Without the go
 * command, which fetches the data, there is nothing to judge.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { readmeText } from '../support/readme.ts';
import { scoreOf, type Score } from './support/conformance-cases.ts';
import { failing } from './support/conformance-failing.ts';
import { findGo, moduleFolders } from './support/go-modules.ts';

const data = 'cel.dev/expr@v0.26.0';

/** `section`, pass, fail, left out. */
const row =
  /^\| `(?<section>[a-z0-9_]+)` +\| (?<passed>\d*) +\| (?<failed>\d*) +\| (?<leftOut>[^|]*?) +\|$/gm;
const rows = [...readmeText('src/cel/README.md').matchAll(row)].map(({ groups = {} }) => groups);

const describeWithGo = findGo() === undefined ? describe.skip : describe;

describeWithGo(`conformance data of ${data}`, () => {
  let folder = '';
  const total = { passed: 0, failed: 0, leftOut: 0 };

  beforeAll(async () => {
    folder = join((await moduleFolders([data])).get(data) ?? '', 'tests/simple/testdata');
  }, 180_000);

  test.each(rows)('$section', ({ section = '', passed = '', failed = '', leftOut = '' }) => {
    const score = scoreOf(readFileSync(join(folder, `${section}.textproto`), 'utf8'));
    expect(Object.fromEntries(score.failed)).toEqual(expectedFailures(section));
    expect(shownOf(score)).toEqual({ passed, failed, leftOut });
    total.passed += score.passed;
    total.failed += score.failed.size;
    total.leftOut += [...score.leftOut.values()].reduce((sum, count) => sum + count, 0);
  });

  test('the guide names the sum', () => {
    const { passed, failed, leftOut } = total;
    const number = (count: number): string => count.toLocaleString('en-US');
    expect(readmeText('src/cel/README.md').replace(/\s+/g, ' ')).toContain(
      `${number(passed + failed + leftOut)} cases), with the libraries of release 1.36: ` +
        `${number(passed)} pass, ${number(failed)} fail, ${number(leftOut)} are left out.`,
    );
  });
});

/** Cases of a section that fail as Kubernetes has it, with any problem. */
function expectedFailures(section: string): Record<string, unknown> {
  return Object.fromEntries((failing[section] ?? []).map((name) => [name, expect.any(String)]));
}

/** As the table shows it: nothing for none. */
function shownOf({ passed, failed, leftOut }: Score): Record<'passed' | 'failed' | 'leftOut', string> {
  const shown = (count: number): string => (count === 0 ? '' : String(count));
  return {
    passed: shown(passed),
    failed: shown(failed.size),
    leftOut: [...leftOut]
      .map(([why, count]) => `${String(count)} ${why}`)
      .sort()
      .join(', '),
  };
}
