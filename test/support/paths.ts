/** Where this checkout and the programs that tests start are found. */
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The root of this checkout. */
export const repositoryRoot = join(import.meta.dirname, '..', '..');

/** The Node binary that the service runs on: the pinned one, else the one that runs this. */
export function nodeBinary(): string {
  const pinned = join(repositoryRoot, 'node_modules', 'node', 'bin', 'node');
  return existsSync(pinned) ? pinned : process.execPath;
}

/** The main file of the service: the sources, or the built program where ORCH_TEST_DIST names its main file. */
export function entryPoint(): string {
  return process.env['ORCH_TEST_DIST'] ?? join(repositoryRoot, 'src', 'main.ts');
}

/** The path of a program on PATH or among the `extra` folders (looked at first); undefined when there is none. */
export function findProgram(name: string, extra: readonly string[] = []): string | undefined {
  return findProgramIn(name, [...extra, ...(process.env['PATH'] ?? '').split(delimiter)]);
}

function findProgramIn(name: string, folders: readonly string[]): string | undefined {
  return folders
    .filter(Boolean)
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

/** Names a folder whose etcd, etcdctl and (since 3.5) etcdutl the tests and the services that they start use. */
const etcdFolder = 'ORCH_TEST_ETCD_BIN';

/** Puts the folder that ORCH_TEST_ETCD_BIN names first into PATH, for this process and those that it starts. */
export function preferChosenEtcd(): void {
  const chosen = process.env[etcdFolder] ?? '';
  if (chosen === '') return;
  if (findProgramIn('etcd', [chosen]) === undefined) throw new Error(`no etcd in ${etcdFolder}=${chosen}`);
  process.env['PATH'] = [chosen, process.env['PATH']].filter(Boolean).join(delimiter);
}

/**
 * The etcd binary: of ORCH_TEST_ETCD_BIN, else `.orch/bin/etcd` of this checkout (put there by set-up), else of PATH.
 * @throws when there is none
 */
export function etcdBinary(): string {
  const found = findProgram('etcd', [process.env[etcdFolder] ?? '', join(repositoryRoot, '.orch', 'bin')]);
  if (found === undefined) throw new Error('no etcd: put one on PATH (apt-get install etcd-server)');
  return found;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
