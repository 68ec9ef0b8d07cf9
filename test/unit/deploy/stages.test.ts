/** The stages of `npm test`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { evaluateInBootstrap as evaluate } from '../../support/bootstrap-script.ts';
import { repositoryRoot } from '../../support/paths.ts';

function listed(expression: string): string[] {
  const { out } = evaluate(`
    import { existsSync } from 'node:fs';
    import { inRoot } from './paths.mjs';
    import { checks, stageNames } from './stages.mjs';
    console.log(JSON.stringify(${expression}));`);
  return JSON.parse(out) as string[];
}

test('the build is among the checks, beside which it runs; each is a program that is there', () => {
  const there = 'Object.keys(checks).filter((name) => existsSync(inRoot(checks[name][0])))';
  expect(listed(there)).toEqual(['types', 'lint', 'format', 'build']);
});

test('the guide tells of each, in their order', () => {
  const guide = readFileSync(join(repositoryRoot, 'test', 'README.md'), 'utf8');
  const rows = guide.split('\n## ').find((text) => text.startsWith('What each stage proves'));
  const told = [...(rows ?? '').matchAll(/^\| `([\w-]+)`/gm)].map(([, name]) => name);
  expect(told).toEqual(listed('stageNames'));
});
