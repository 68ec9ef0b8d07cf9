/** Temporary folders that go away with their owner. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TempFolder {
  readonly path: string;
  /** Deletes the folder and all in it. */
  remove(): Promise<void>;
}

/** Makes an empty folder below the system's temporary folder; its name begins with `orch-<purpose>-`. */
export async function makeTempFolder(purpose: string): Promise<TempFolder> {
  const path = await mkdtemp(join(tmpdir(), `orch-${purpose}-`));
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}
