/**
 * The data folder of a replica (`--data-dir`): etcd's data, the PKI, the kubeconfig. A replica with its own etcd owns
 * the folder exclusively, by the lock file `instance.lock` with its process id.
 */
import { link, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../base/errors.ts';
import { reasonIn, StartError } from '../base/start-error.ts';
import { makeFolder } from '../base/make-folder.ts';
import { readRegularFile } from '../base/regular-file.ts';
import { removeUnfinished } from '../base/unfinished-files.ts';
import { identify, isRunning, parseIdentity } from './process-identity.ts';

/** Kubeconfigs, probes and locks that a process was about to write, or to remove, when it was killed. */
const unfinished = /^kubeconfig(-\d+)?\.\d+\.new$|^\.probe\.\d+$|^instance\.lock\.\d+(\.stale)?$/;

/**
 * Creates the folder with mode 0700, and removes what processes left in it that were killed.
 * @throws StartError if it is not writable
 */
export function openDataFolder(folder: string): Promise<void> {
  const probe = join(folder, `.probe.${String(process.pid)}`);
  return inDataFolder(folder, async () => {
    await makeFolder(folder);
    await writeFile(probe, '');
    await rm(probe);
    await removeUnfinished(folder, (name) => unfinished.test(name), Date.now());
  });
}

/**
 * Works in the folder; a file or folder there that is of the wrong kind or owner, or has no room, is an error of the folder.
 * @throws StartError with what the system says; other errors of the work unchanged
 */
export async function inDataFolder<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isOfFiles(error)) throw error;
    throw StartError.of(
      'DATA_FOLDER_UNUSABLE',
      `the data folder ${folder} cannot be used (${reasonIn(folder, error)})`,
      'make it writable or choose another with --data-dir',
      error,
    );
  }
}

/** Of a file or folder, not of a program or a connection. */
function isOfFiles(error: unknown): boolean {
  const { path, syscall = '' } = error as { readonly path?: unknown; readonly syscall?: string };
  return (path !== undefined || syscall === 'write') && syscall !== '' && !syscall.startsWith('spawn');
}

/** The lock file of a data folder. */
export function lockIn(folder: string): string {
  return join(folder, 'instance.lock');
}

/**
 * Locks the folder for this process; a stale lock is replaced.
 * @returns a function that releases it
 * @throws StartError if another instance holds it
 */
export async function lockDataFolder(folder: string): Promise<() => Promise<void>> {
  const path = lockIn(folder);
  const mine = JSON.stringify(await identify(process.pid));
  const temporary = `${path}.${String(process.pid)}`;
  await writeFile(temporary, mine, { mode: 0o600 });
  try {
    while (!(await linked(temporary, path))) await removeIfStale(folder, path);
  } finally {
    await rm(temporary, { force: true });
  }
  return async () => {
    if ((await readText(path)) === mine) await rm(path, { force: true });
  };
}

/** A hard link is atomic and never replaces an existing file. */
async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Moves a stale lock aside; restores it if another process has replaced it meanwhile.
 * @throws the system's error if the lock cannot be moved, such as that of another user
 */
async function removeIfStale(folder: string, path: string): Promise<void> {
  await refuseIfAlive(folder, await readText(path));
  const aside = `${path}.${String(process.pid)}.stale`;
  await rename(path, aside).catch(unlessGone);
  const text = await readText(aside);
  try {
    await refuseIfAlive(folder, text);
  } catch (error) {
    await linked(aside, path);
    throw error;
  } finally {
    await rm(aside, { force: true });
  }
}

async function refuseIfAlive(folder: string, text: string): Promise<void> {
  const owner = parseIdentity(text);
  if (owner === undefined || owner.pid === process.pid || !(await isRunning(owner))) return;
  throw StartError.of(
    'DATA_FOLDER_IN_USE',
    `process ${String(owner.pid)} already runs on the data folder ${folder}`,
    'stop it, or choose another folder with --data-dir and another port with --secure-port',
  );
}

/** Another process may have removed the lock, or moved it aside. */
function unlessGone(error: unknown): void {
  if (codeOf(error) !== 'ENOENT') throw error;
}

/** '' for what is no file that this service wrote, such as a named pipe, which is not waited for. */
async function readText(path: string): Promise<string> {
  return readRegularFile(path).then(
    (content) => content.toString('utf8'),
    () => '',
  );
}
