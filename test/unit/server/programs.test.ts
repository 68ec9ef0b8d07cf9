/** Programs of processes and threads that load much code, for which requests may wait. */
import { readFileSync } from 'node:fs';
import { servingThreadProgram, workerProgram, writeThreadProgram } from '../../../src/server/programs.ts';

test.each([
  ['a worker', workerProgram],
  ['a serving thread', servingThreadProgram],
  ['a write thread', writeThreadProgram],
])('%s finds its code compiled, and its modules without a search', (_what, program) => {
  const [before = '', ...loaded] = readFileSync(program, 'utf8').split('await import(');
  expect(before).toMatch(/^(prepareProcess\(\);|keepCompiledCode\(\);\nresolveOwnModules\(\);)$/m);
  // What is imported before is loaded before.
  const names = Array.from(before.matchAll(/from '(.*)'/g), ([, name = '']) => name);
  const early = /^(node:|\.\.\/base\/|\.\.\/workers\/worker)/;
  expect(names.filter((name) => !early.test(name))).toEqual([]);
  expect(loaded.length).toBeGreaterThan(0);
});
