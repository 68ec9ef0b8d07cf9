/** Releases of etcd that are known to lose events or data, against the table of fixes in etcd's changelogs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { repositoryRoot } from '../../../support/paths.ts';
import { knownDefects } from '../../../../src/storage/etcd/known-defects.ts';

const issuesOf = (version: string): number[] =>
  (knownDefects(version)?.defects ?? []).map((line) => Number(/^#(\d+): /.exec(line)?.[1]));

test.each([
  // The package of Debian 12.
  ['3.4.23', [15247, 15271, 17529, 17780, 18089, 19179, 20221, 20271, 20418], '3.4.42'],
  ['3.4.19', [14370, 14571, 15247, 15271, 17529, 17780, 18089, 19179, 20221, 20271], '3.4.38'],
  ['3.4.41', [20418], '3.4.42'],
  [
    '3.5.2',
    [13766, 14370, 14571, 14685, 15247, 15271, 17529, 17780, 18089, 19179, 20221, 20271, 20418],
    '3.5.28',
  ],
  // The package of Debian 13.
  ['3.5.16', [19179, 20221, 20271, 20418], '3.5.28'],
  ['3.6.0', [20221, 20271, 20418], '3.6.9'],
  ['3.6.0-rc.2', [20221, 20271, 20418], '3.6.9'],
  ['3.6.8', [20418], '3.6.9'],
])('%s', (version, issues, fixedIn) => {
  expect(issuesOf(version).sort()).toEqual(issues);
  expect(knownDefects(version)?.fixedIn).toBe(fixedIn);
});

test('a release that is no longer maintained has what 3.4.0 had, and no fix', () => {
  expect(issuesOf('3.3.27')).toEqual(issuesOf('3.4.0'));
  expect(knownDefects('3.3.27')).not.toHaveProperty('fixedIn');
});

test.each(['3.4.42', '3.4.45', '3.5.28', '3.5.30', '3.6.9', '3.6.16', '3.7.0', '3.10.0', '4.0.0'])(
  '%s: nothing is known',
  (version) => {
    expect(knownDefects(version)).toBeUndefined();
  },
);

test.each(['', 'unknown', '3.4', '3.4.23.1', 'v3.4.23', '99999999999999999999.1.1'])(
  '%j is no version, and nothing is said',
  (version) => {
    expect(knownDefects(version)).toBeUndefined();
  },
);

test('the guide has their number for each release that it names', () => {
  const guide = readFileSync(join(repositoryRoot, 'deploy/README.md'), 'utf8');
  const rows = [...guide.matchAll(/^\|.*\| (\d+\.\d+\.\d+) +\| (\d+) +\|$/gm)];
  expect(rows.length).toBeGreaterThan(2);
  for (const [, version = '', count] of rows)
    expect([version, issuesOf(version).length]).toEqual([version, Number(count)]);
});
