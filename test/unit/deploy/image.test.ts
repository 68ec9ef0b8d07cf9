/** How the image starts the service: as its Dockerfile says, here over the program of this checkout. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { entryPoint, nodeBinary, repositoryRoot } from '../../support/paths.ts';

test('its words are passed on, to a process without an inspector and core dumps', () => {
  const file = readFileSync(join(repositoryRoot, 'Dockerfile'), 'utf8');
  const [, json = '[]'] = /^ENTRYPOINT (\[.*\])$/m.exec(file) ?? [];
  const [shell = '', option = '', script = '', ...rest] = JSON.parse(json) as string[];
  expect(script).toContain('ulimit -c 0;');
  expect(script).toContain('node --disable-sigusr1 dist/main.js');
  const here = script.replace('dist/main.js', entryPoint());
  const env = { ...process.env, PATH: `${dirname(nodeBinary())}:${process.env['PATH'] ?? ''}` };
  const run = spawnSync(shell, [option, here, ...rest, '--version'], { encoding: 'utf8', env });
  expect([run.status, run.stdout]).toEqual([0, expect.stringMatching(/^orch-apiserver v\d/)]);
});
