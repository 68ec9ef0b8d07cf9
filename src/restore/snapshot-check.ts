/** Verifies a snapshot of etcd: `etcdctl snapshot save` writes a database followed by its SHA-256. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { messageOf } from '../base/errors.ts';
import { reasonOf, StartError } from '../base/start-error.ts';
import { BboltFile } from './bbolt-file.ts';
import { readRevisions, type StoredRevisions } from './etcd-revision.ts';
import { runTool, type EtcdTools } from './etcd-tools.ts';

const hashBytes = 32;

export interface SnapshotFacts extends StoredRevisions {
  readonly bytes: number;
  /** Number of records, as counted by etcdctl. */
  readonly records: number;
}

export interface SnapshotCheckOptions {
  readonly tools: EtcdTools;
  readonly skipHashCheck: boolean;
  readonly signal: AbortSignal;
}

/** @throws StartError `FILE_UNREADABLE`, or `SNAPSHOT_INVALID` with the reason */
export async function checkSnapshot(path: string, options: SnapshotCheckOptions): Promise<SnapshotFacts> {
  const bytes = await sizeOf(path);
  if (bytes === 0) throw invalid(path, 'it is empty');
  const form = await formOf(path);
  const hasHash = bytes % form.pageSize === hashBytes;
  if (hasHash) await checkHash(path, bytes - hashBytes, options.signal);
  else if (!options.skipHashCheck) throw invalid(path, 'its SHA-256 is missing or cut off');
  checkLength(path, hasHash ? bytes - hashBytes : bytes, form);
  const records = await checkStructure(path, options);
  return { bytes, records, ...(await revisionsOf(path)) };
}

async function sizeOf(path: string): Promise<number> {
  try {
    // Checked before opening, as opening a pipe would block.
    if ((await stat(path)).isFile()) return await readableSize(path);
  } catch (error) {
    const remedy = 'use a readable snapshot file';
    throw StartError.of('FILE_UNREADABLE', `${path}: ${reasonOf(error)}`, remedy, error);
  }
  throw StartError.of('FILE_UNREADABLE', `${path}: not a regular file`, 'use a snapshot file');
}

async function readableSize(path: string): Promise<number> {
  const handle = await open(path, 'r');
  try {
    return (await handle.stat()).size;
  } finally {
    await handle.close();
  }
}

/** What a file says of its own length. */
interface Form {
  readonly pageSize: number;
  readonly leastBytes: number;
}

async function formOf(path: string): Promise<Form> {
  try {
    const file = await BboltFile.open(path);
    try {
      return { pageSize: file.pageSize, leastBytes: file.leastBytes };
    } finally {
      await file.close();
    }
  } catch (error) {
    throw invalid(path, messageOf(error), error);
  }
}

/** What a cut file lacks may be pages that the tree does not need, and etcd's own programs take it. */
function checkLength(path: string, bytes: number, { pageSize, leastBytes }: Form): void {
  if (bytes % pageSize !== 0)
    throw invalid(
      path,
      `its ${bytes} bytes are not a whole number of pages of ${pageSize}, with or without a SHA-256`,
    );
  if (bytes < leastBytes) throw invalid(path, `it has ${bytes} bytes and should have at least ${leastBytes}`);
}

async function checkHash(path: string, length: number, signal: AbortSignal): Promise<void> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { end: length - 1, signal })) hash.update(chunk as Buffer);
  const stored: Buffer[] = [];
  for await (const chunk of createReadStream(path, { start: length, signal })) stored.push(chunk as Buffer);
  if (!hash.digest().equals(Buffer.concat(stored)))
    throw invalid(path, 'its SHA-256 does not match its content');
}

/** etcdctl verifies the whole tree. */
async function checkStructure(path: string, { tools, signal }: SnapshotCheckOptions): Promise<number> {
  try {
    const text = await runTool(tools.snapshots, ['snapshot', 'status', path, '--write-out=json'], { signal });
    return (JSON.parse(text) as { totalKey: number }).totalKey;
  } catch (error) {
    signal.throwIfAborted();
    throw invalid(path, messageOf(error), error);
  }
}

async function revisionsOf(path: string): Promise<StoredRevisions> {
  try {
    return await readRevisions(path);
  } catch (error) {
    throw invalid(path, messageOf(error), error);
  }
}

function invalid(path: string, what: string, cause?: unknown): StartError {
  const remedy = 'nothing was changed; take another snapshot';
  return StartError.of('SNAPSHOT_INVALID', `${path} is not a valid snapshot: ${what}`, remedy, cause);
}
