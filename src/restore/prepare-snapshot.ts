/**
 * Raises the revision of a snapshot: the result has the same keys and values, every key at a revision that no client
 * has seen, and is compacted there. This is done on a copy, in a private etcd.
 *
 *   snapshot ─▶ copy ─▶ compacted, if it never was ─▶ revision raised in the file ─▶ every key renewed ─▶ compacted ─▶ snapshot
 *
 * All members of a cluster must be restored from the same file, as their databases must be equal.
 */
import { join } from 'node:path';
import { numberOf } from '../storage/etcd/etcd-messages.ts';
import { databaseIn, readRevisions, writeCompactedRevision } from './etcd-revision.ts';
import { runTool, type EtcdTools } from './etcd-tools.ts';
import { PrivateMember, privateIdentity } from './private-member.ts';
import { renewKeys } from './renew-keys.ts';
import type { MemberIdentity, RestoreContext } from './config.ts';

export interface PrepareOptions extends RestoreContext {
  readonly tools: EtcdTools;
  readonly snapshot: string;
  readonly skipHashCheck: boolean;
  /** An empty work folder, on a disk with room for three times the snapshot. */
  readonly workFolder: string;
  /** The revision to continue from. */
  readonly target: number;
}

export interface PreparedSnapshot {
  readonly path: string;
  readonly revision: number;
}

/** @throws ToolError, EtcdError or Error if a step fails; the snapshot itself is not changed */
export async function prepareSnapshot(options: PrepareOptions): Promise<PreparedSnapshot> {
  const { tools, signal, print, workFolder, target } = options;
  const dataDir = join(workFolder, 'copy');
  print(`Restoring a copy of the snapshot in ${workFolder}.`);
  await restoreSnapshot({ ...options, dataDir, identity: privateIdentity });
  const database = databaseIn(dataDir);
  // Only a compacted database has an entry for the compaction revision.
  if ((await readRevisions(database)).compacted === 0)
    await usingMember({ tools, dataDir, signal }, compactHere);
  print(`Raising its revision to ${target}.`);
  await writeCompactedRevision(database, target);
  const path = join(workFolder, 'prepared.db');
  const revision = await usingMember({ tools, dataDir, signal }, async (member) => {
    const before = await currentRevision(member);
    if (before !== target) throw new Error(`etcd continues at revision ${before} instead of ${target}`);
    // An alarm in the backup would prevent all writes.
    await member.etcdctl('alarm', 'disarm');
    const renewed = await renewAll(member, options);
    if (renewed > target) await member.etcdctl('compact', '--physical', String(renewed));
    await member.etcdctl('defrag');
    await member.etcdctl('snapshot', 'save', path);
    return renewed;
  });
  await assertPrepared(path, revision);
  return { path, revision };
}

/**
 * Checks that the snapshot is compacted at its current revision, as after `prepareSnapshot`.
 * @throws Error otherwise
 */
export async function assertPrepared(path: string, revision: number): Promise<void> {
  const { current, compacted } = await readRevisions(path);
  if (current !== revision || compacted !== revision)
    throw new Error(`the snapshot is at revision ${current}, compacted at ${compacted}, not at ${revision}`);
}

export interface RestoreSnapshotOptions {
  readonly tools: EtcdTools;
  readonly snapshot: string;
  readonly skipHashCheck: boolean;
  readonly dataDir: string;
  readonly identity: MemberIdentity;
  readonly signal: AbortSignal;
}

/**
 * Creates a new data directory from a snapshot.
 * @throws ToolError
 */
export async function restoreSnapshot(options: RestoreSnapshotOptions): Promise<void> {
  const { tools, snapshot, dataDir, identity, signal } = options;
  const words = [
    'snapshot',
    'restore',
    snapshot,
    `--data-dir=${dataDir}`,
    `--name=${identity.name}`,
    `--initial-cluster=${identity.initialCluster}`,
    `--initial-cluster-token=${identity.initialClusterToken}`,
    `--initial-advertise-peer-urls=${identity.initialAdvertisePeerUrls}`,
  ];
  await runTool(tools.snapshots, options.skipHashCheck ? [...words, '--skip-hash-check'] : words, { signal });
}

async function usingMember<T>(
  options: Parameters<typeof PrivateMember.start>[0],
  work: (member: PrivateMember) => Promise<T>,
): Promise<T> {
  await using member = await PrivateMember.start(options);
  return await work(member);
}

async function compactHere(member: PrivateMember): Promise<void> {
  await member.etcdctl('compact', '--physical', String(await currentRevision(member)));
}

async function currentRevision(member: PrivateMember): Promise<number> {
  const { header } = await member.client.range({ key: Buffer.of(0), count_only: true });
  return numberOf(header.revision);
}

async function renewAll(member: PrivateMember, { signal, print }: PrepareOptions): Promise<number> {
  let reportedAt = 0;
  const { count, revision } = await renewKeys(member.client, signal, (done) => {
    if (done - reportedAt < progressKeys) return;
    reportedAt = done;
    print(`${done} keys have a new revision.`);
  });
  print(`All ${count} keys have a new revision; the last is ${revision}.`);
  return revision;
}

const progressKeys = 50_000;
