import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keepingCode } from '../../support/kept-code.ts';
import { nodeBinary } from '../../support/paths.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

test('the second process of a program finds its modules compiled, without their types', async () => {
  const folder = await makeTempFolder('kept-code');
  const program = join(folder.path, 'program.ts');
  writeFileSync(program, 'const answer: number = 42;\nconsole.log(answer);\n');
  const env = keepingCode({ NODE_DEBUG_NATIVE: 'COMPILE_CACHE' }, join(folder.path, 'kept', 'code'));
  try {
    const run = (): string => spawnSync(nodeBinary(), [program], { encoding: 'utf8', env }).stderr;
    const found = /retrieving transpile cache for .*program\.ts.*success/;
    expect(run()).not.toMatch(found);
    expect(run()).toMatch(found);
  } finally {
    await folder.remove();
  }
});

test('it is the environment given, and keeps code below .orch', () => {
  const { NODE_COMPILE_CACHE: folder, ...rest } = keepingCode({ PATH: '/bin' });
  expect(rest).toEqual({ PATH: '/bin' });
  expect(folder).toMatch(/\.orch.test-compile-cache$/);
});
