/**
 * The revisions in the database file of an etcd member. History is in the bucket `key`, by revision; the bucket `meta`
 * holds how far it was compacted. At its start etcd takes the greater of both for its current revision
 * (`mvcc/kvstore.go`, `restore`: "the correct revision should be set to compaction revision in the case").
 */
import { join } from 'node:path';
import { BboltFile } from './bbolt-file.ts';

const historyBucket = 'key';
const metaBucket = 'meta';
const compactedKey = 'finishedCompactRev';
const revisionBytes = 17;

export interface StoredRevisions {
  /** The newest one. */
  readonly current: number;
  /** History up to here is gone; 0: never compacted. */
  readonly compacted: number;
}

/** The database of a member in its data directory. */
export function databaseIn(dataDir: string): string {
  return join(dataDir, 'member', 'snap', 'db');
}

/** @throws BboltError when the file is no database, or damaged where this looks */
export async function readRevisions(path: string): Promise<StoredRevisions> {
  const file = await BboltFile.open(path);
  try {
    const [newest, finished] = [await file.last(historyBucket), await file.find(metaBucket, compactedKey)];
    const compacted = finished === undefined ? 0 : mainRevision(finished.value);
    return { current: Math.max(compacted, newest === undefined ? 0 : mainRevision(newest.key)), compacted };
  } finally {
    await file.close();
  }
}

/**
 * Makes a stopped member believe that it compacted at `revision`, and so that this is its current one: nothing older can
 * be read or watched. The value keeps its length, so that no page changes its shape.
 * @throws Error when the member has never compacted, or is further already
 */
export async function writeCompactedRevision(path: string, revision: number): Promise<void> {
  const { current } = await readRevisions(path);
  if (revision <= current) throw new RangeError(`revision ${revision} is not beyond ${current}`);
  const file = await BboltFile.open(path, 'r+');
  try {
    const finished = await file.find(metaBucket, compactedKey);
    if (finished?.value.length !== revisionBytes) throw new Error('the member has never compacted');
    const value = Buffer.from(finished.value);
    value.writeBigUInt64BE(BigInt(revision), 0);
    await file.overwrite(finished, value);
  } finally {
    await file.close();
  }
}

/** The first half of `<main>_<sub>`. */
function mainRevision(bytes: Buffer): number {
  return Number(bytes.readBigUInt64BE(0));
}
