/** Folders of published Go modules: known projects publish their definitions together with their code. */
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';

import { findProgram } from '../../support/paths.ts';

const execute = promisify(execFile);

/** Milliseconds until all modules must be there. */
const patience = 120_000;

/** The path of the go command; undefined where none is installed. */
export function findGo(): string | undefined {
  return findProgram('go', ['/usr/local/go/bin']);
}

/**
 * The folders of these modules (`path@version`), by their names. They are downloaded into the cache of Go unless they
 * are in it.
 * @throws Error with what go printed when one of them cannot be had
 */
export async function moduleFolders(modules: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const go = findGo();
  if (go === undefined) throw new Error('no go on PATH');
  const download = async (module: string): Promise<[string, string]> => {
    // Outside of any module: none of the definitions becomes a dependency of anything.
    const { stdout } = await execute(go, ['mod', 'download', '-json', module], {
      ...{ cwd: tmpdir(), timeout: patience, env: { ...process.env, GOWORK: 'off' } },
    });
    return [module, (JSON.parse(stdout) as { Dir: string }).Dir];
  };
  return new Map(await Promise.all(modules.map(download)));
}
