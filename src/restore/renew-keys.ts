/**
 * Rewrites every key at a new revision, with its value and lease unchanged. Otherwise a restored object would have
 * its version of the snapshot, which is older than versions that clients have seen.
 */
import type { EtcdClient } from '../storage/etcd/client.ts';
import type { RangeResponse } from '../storage/etcd/message-types.ts';
import { numberOf } from '../storage/etcd/etcd-messages.ts';
import { keyAfter } from '../storage/keys.ts';

/** The range of all keys in etcd. */
const firstKey = Buffer.of(0);
const rangeEnd = Buffer.of(0);
/** Keys per page, and concurrent writes. */
const pageKeys = 1_000;

export interface RenewedKeys {
  readonly count: number;
  /** The revision of etcd afterwards. */
  readonly revision: number;
}

/**
 * Each key gets a separate revision.
 * @throws EtcdError, or the reason of the signal
 */
export async function renewKeys(
  client: EtcdClient,
  signal: AbortSignal,
  onProgress: (count: number) => void,
): Promise<RenewedKeys> {
  let page = await readPage(client, firstKey, 0);
  const start = numberOf(page.header.revision);
  let [count, revision] = [0, start];
  for (;;) {
    const keys = page.kvs.map(({ key }) => Buffer.from(key));
    revision = Math.max(revision, ...(await Promise.all(keys.map((key) => renewKey(client, key)))));
    count += keys.length;
    onProgress(count);
    signal.throwIfAborted();
    const last = keys.at(-1);
    if (!page.more || last === undefined) return { count, revision };
    page = await readPage(client, keyAfter(last), start);
  }
}

function readPage(client: EtcdClient, key: Buffer, revision: number): Promise<RangeResponse> {
  return client.range({ key, range_end: rangeEnd, limit: pageKeys, revision, keys_only: true });
}

async function renewKey(client: EtcdClient, key: Buffer): Promise<number> {
  const { header } = await client.put({ key, ignore_value: true, ignore_lease: true });
  return numberOf(header.revision);
}
