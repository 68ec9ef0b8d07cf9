/** What the tests of `restore` share: an etcd on a data folder, looked at without the service. */
import { join } from 'node:path';
import { findEtcdTools, type EtcdTools } from '../../../src/restore/etcd-tools.ts';
import { PrivateMember } from '../../../src/restore/private-member.ts';
import { numberOf } from '../../../src/storage/etcd/etcd-messages.ts';

export const forever = new AbortController().signal;

export function etcdTools(): Promise<EtcdTools> {
  return findEtcdTools(join('.orch'), forever);
}

export interface StoredState {
  readonly revision: number;
  readonly values: Readonly<Record<string, string>>;
  /** Revision of each key. */
  readonly versions: Readonly<Record<string, number>>;
}

const everything = { key: Buffer.of(0), range_end: Buffer.of(0) };

/** Everything that an etcd on the data directory holds. */
export async function stateOf(dataDir: string): Promise<StoredState> {
  await using member = await PrivateMember.start({ tools: await etcdTools(), dataDir, signal: forever });
  return await readState(member);
}

/** The same of a member that runs. */
export async function readState({ client }: PrivateMember): Promise<StoredState> {
  const { header, kvs } = await client.range(everything);
  const entries = kvs.map((kv) => [kv.key.toString(), kv] as const);
  return {
    revision: numberOf(header.revision),
    values: Object.fromEntries(entries.map(([key, kv]) => [key, kv.value.toString()])),
    versions: Object.fromEntries(entries.map(([key, kv]) => [key, numberOf(kv.mod_revision)])),
  };
}
