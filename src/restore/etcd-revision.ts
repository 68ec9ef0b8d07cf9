/**
 * Reads the revisions in the database file of an etcd member. History is in the bucket `key`, by revision; the bucket
 * `meta` has the compaction revision. At its start etcd uses the greater of both as its current revision
 * (`mvcc/kvstore.go`, `restore`: "the correct revision should be set to compaction revision in the case").
 */
import { join } from 'node:path';
import { BboltFile } from './bbolt-file.ts';

const historyBucket = 'key';
const metaBucket = 'meta';
const compactedKey = 'finishedCompactRev';
const revisionBytes = 17;

export interface StoredRevisions {
  /** The current revision. */
  readonly current: number;
  /** The compaction revision; 0 if never compacted. */
  readonly compacted: number;
}

/** The database of a member in its data directory. */
export function databaseIn(dataDir: string): string {
  return join(dataDir, 'member', 'snap', 'db');
}

/** @throws BboltError if the file is not a database or is damaged */
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
 * Sets the compaction revision of a stopped member, which then is its current revision: nothing older can be read or
 * watched. The value keeps its length, so pages are unchanged otherwise.
 * @throws Error if the member has never compacted or is already further
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
