/** Scripts that use the tools of the bootstrap, each in a process of its own: they are plain JavaScript. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '..', '..', 'deploy', 'bootstrap');

/** Runs a script that may import the bootstrap's files as `./name.mjs`. */
export function evaluateInBootstrap(
  script: string,
  ...args: string[]
): { code: number | null; out: string; err: string } {
  const resolved = script.replaceAll(`'./`, `'${folder}/`);
  const result = spawnSync(process.execPath, ['--input-type=module', '-e', resolved, '--', ...args], {
    encoding: 'utf8',
  });
  return { code: result.status, out: result.stdout.trim(), err: result.stderr.trim() };
}
