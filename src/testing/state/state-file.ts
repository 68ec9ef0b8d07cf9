/** States as files; the extension says in which form. */
import { readFile, writeFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { messageOf } from '../../base/errors.ts';
import type { StateEntry } from './state-entry.ts';
import type { Naming } from '../options.ts';
import { decodeCompact, encodeCompact } from './compact-state.ts';
import { decodeReadable, encodeReadable, type Ground, type ReadableOptions } from './readable-state.ts';

const readable: ReadonlySet<string> = new Set(['.yaml', '.yml']);
const compact: ReadonlySet<string> = new Set(['.state', '.gz']);

/** What a control plane gives of itself. */
export interface StateSource extends Ground {
  readonly naming: Naming;
}

/** Writes a state: readable as `.yaml`, compact as `.state` or `.gz`. @throws TypeError for other extensions */
export async function writeState(
  path: string,
  entries: readonly StateEntry[],
  { naming, beginning, ...options }: StateSource & ReadableOptions,
): Promise<void> {
  const isReadable = isReadableFile(path);
  const bytes = isReadable
    ? encodeReadable(entries, beginning, options)
    : await encodeCompact(entries, naming);
  // It may hold secrets.
  await writeFile(path, bytes, { mode: 0o600 });
}

/** @throws TypeError for other extensions; Error that names the file and says what is wrong with it */
export async function readState(path: string, source: StateSource): Promise<StateEntry[]> {
  const isReadable = isReadableFile(path);
  try {
    const bytes = await readFile(path);
    return isReadable ? decodeReadable(bytes, source) : await decodeCompact(bytes, source.naming);
  } catch (error) {
    throw new Error(`${path} cannot be loaded: ${messageOf(error)}`, { cause: error });
  }
}

function isReadableFile(path: string): boolean {
  const extension = extname(path);
  if (!readable.has(extension) && !compact.has(extension))
    throw new TypeError(
      `${path} has no extension that says its form: give .yaml to read it, .state for a compact one`,
    );
  return readable.has(extension);
}
