/** Where things are in a checkout. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = resolve(fileURLToPath(import.meta.url), '../../..');

/** Folder of what a checkout makes for itself and git ignores. */
export const local = join(root, '.orch');

export function inRoot(...parts) {
  return join(root, ...parts);
}

/** The Node binary that package-lock.json pins. */
export function pinnedNode() {
  return inRoot('node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
}

export function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Full path of a program on PATH or in `.orch/bin`; undefined when it is nowhere. */
export function findProgram(name) {
  const folders = [...(process.env.PATH ?? '').split(delimiter), join(local, 'bin')];
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}
