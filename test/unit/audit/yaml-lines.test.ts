import { linesOfYaml } from '../../../src/audit/yaml-lines.ts';
import { leastShare } from '../../support/cpu-time.ts';

test('lines are found by path, whatever stands before them', () => {
  const lineOf = linesOfYaml('# comment\n\nrules:\n- level: None\n\n- level: x\r\n  users: [a,\n    b]\n');
  const paths = ['', 'rules', 'rules[0].level', 'rules[1].level', 'rules[1].users[1]', 'missing'];
  expect(paths.map(lineOf)).toEqual([3, 3, 4, 6, 8, 1]);
});

/** 12 s where every value counts the lines before it; 0.1 s is what reading such a text takes. */
test('a policy of 20,000 lines holds the thread no longer than its YAML does', async () => {
  const text = Array.from({ length: 20_000 }, (_, i) => `k${String(i)}: 1\n`).join('');
  expect(await leastShare(200, () => linesOfYaml(text)('k19999'))).toBeLessThan(1);
  expect(linesOfYaml(text)('k19999')).toBe(20_000);
});
