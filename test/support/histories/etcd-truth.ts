/** The truth of real replicas: etcd's own history, as its own command line client watches it from the first revision. */
import { execFile, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

import type { EtcdCluster } from '../etcd/cluster.ts';
import type { Change, CollectionId, Commit, Revision, StoredState, Truth } from './types.ts';
import type { JsonObject } from '../../../src/base/json.ts';

/** Clients before 3.4 speak an older API otherwise. */
const env = { ...process.env, ETCDCTL_API: '3' };

interface EtcdEvent {
  /** 1: a deletion; a put has none. */
  readonly type?: number;
  /** Key and value in base64. */
  readonly kv: { readonly key: string; readonly value?: string; readonly mod_revision: Revision };
}

interface EtcdResponse {
  readonly Events?: readonly EtcdEvent[];
  readonly CompactRevision?: Revision;
}

export interface TruthOptions {
  readonly collections: readonly CollectionId[];
  /** What the service keeps objects under; default `/registry`. */
  readonly prefix?: string;
  readonly stateOf: (object: JsonObject) => StoredState;
}

/**
 * Reads all that etcd did to objects of some collections. Compaction must not have begun.
 * @throws Error when history is compacted, or when a minute was not enough
 */
export async function truthOf(
  etcd: Pick<EtcdCluster, 'endpoints' | 'tls'>,
  { collections, prefix = '/registry', stateOf }: TruthOptions,
): Promise<Truth> {
  // A last write beside the objects, so that the end of the history is an event.
  const marker = '/the-end-of-history';
  await promisify(execFile)('etcdctl', [...connection(etcd), 'put', marker, 'x'], { env });
  const commits: Commit[] = [];
  const head = await followUntil(etcd, marker, (event) => {
    const change = changeOf(event, { collections, prefix, stateOf });
    if (change !== undefined) addChange(commits, event.kv.mod_revision, change);
  });
  return { pasts: [{ from: -Infinity, base: 0, commits, head, compacted: 0 }] };
}

/** Gives each event until one of a key. @returns the revision of that one */
async function followUntil(
  etcd: Pick<EtcdCluster, 'endpoints' | 'tls'>,
  last: string,
  onEvent: (event: EtcdEvent) => void,
): Promise<Revision> {
  const args = [...connection(etcd), 'watch', '--prefix', '/', '--rev=1', '--write-out=json'];
  const watching = spawn('etcdctl', args, { env, timeout: 60_000, stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    for await (const line of createInterface(watching.stdout)) {
      const events = eventsOf(line);
      const end = events.findIndex(({ kv }) => textOf(kv.key) === last);
      for (const event of events.slice(0, end < 0 ? undefined : end)) onEvent(event);
      const found = events[end];
      if (found) return found.kv.mod_revision;
    }
    throw new Error('the watch of etcd ended');
  } finally {
    watching.kill();
  }
}

function eventsOf(line: string): readonly EtcdEvent[] {
  const { Events = [], CompactRevision = 0 } = JSON.parse(line) as EtcdResponse;
  if (CompactRevision > 0) throw new Error(`etcd's history is compacted at ${CompactRevision}`);
  return Events;
}

function changeOf(
  { type, kv }: EtcdEvent,
  { collections, prefix, stateOf }: Required<TruthOptions>,
): Change | undefined {
  const key = textOf(kv.key);
  const collection = collections.find((id) => key.startsWith(`${prefix}/${id}/`));
  const name = collection && key.slice(`${prefix}/${collection}/`.length);
  // The fence of a collection is its empty key.
  if (collection === undefined || name === undefined || name === '') return undefined;
  if (type === 1) return { collection, key: name, put: undefined };
  return { collection, key: name, put: stateOf(JSON.parse(textOf(kv.value ?? '')) as JsonObject) };
}

function addChange(commits: Commit[], revision: Revision, change: Change): void {
  const last = commits.at(-1);
  if (last?.revision === revision)
    commits[commits.length - 1] = { revision, changes: [...last.changes, change] };
  else commits.push({ revision, changes: [change] });
}

function connection({ endpoints, tls }: Pick<EtcdCluster, 'endpoints' | 'tls'>): string[] {
  const files = tls && [`--cacert=${tls.caFile}`, `--cert=${tls.certFile}`, `--key=${tls.keyFile}`];
  return [`--endpoints=${endpoints.join(',')}`, ...(files ?? [])];
}

function textOf(base64: string): string {
  return Buffer.from(base64, 'base64').toString();
}
