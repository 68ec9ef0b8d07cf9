/** The transactions that creations and updates make, without anything else: through the service's own client of etcd, or etcd3's. */
import { systemEnvironment } from '../../../src/base/environment.ts';
import { Etcd3, type ITxnRequest } from 'etcd3';

import { EtcdClient } from '../../../src/storage/etcd/client.ts';
import type { Compare, TxnRequest } from '../../../src/storage/etcd/message-types.ts';
import { defaultTimes } from '../../../src/storage/options.ts';

/** Whose client of etcd makes them. */
export type ClientKind = 'own' | 'etcd3';

/** A key that one loop writes, with its last revision; 0: it was never written. */
export interface RawTarget {
  readonly key: Buffer;
  revision: number;
}

export interface RawTransactions {
  /** Stores a value under a key that nobody has. @throws when somebody has */
  create(value: Buffer): Promise<void>;
  /** Guarded by the revision of the update before. @throws when somebody else changed it */
  update(target: RawTarget, value: Buffer): Promise<void>;
  /** Asks etcd's quorum for its revision, as fresh reads do. */
  probe(): Promise<unknown>;
  /** A watch tells of all that is stored below the folder from now on; only the service's own client has it. */
  follow(folder: string): Promise<void>;
  close(): void;
}

/** What both clients can do. Numbers are told as text by etcd3. */
interface Client {
  txn(request: TxnRequest): Promise<{ succeeded: boolean; header: { revision: unknown } }>;
  probe(): Promise<unknown>;
  follow(folder: string): Promise<void>;
  close(): void;
}

let keys = 0;
/** Nobody has it. */
const probed = Buffer.from('/bare/probed');

export function newTarget(folder = '/bare'): RawTarget {
  keys += 1;
  return { key: Buffer.from(`${folder}/${process.pid}/${keys}`), revision: 0 };
}

/** The value is stored if the key is of this revision, else the key is read; 0: if there is none. */
function transactionOf({ key, revision }: RawTarget, value: Buffer): TxnRequest {
  const guard: Compare =
    revision === 0
      ? { result: 0, target: 1, key, create_revision: 0 }
      : { result: 0, target: 2, key, mod_revision: revision };
  return {
    compare: [guard],
    success: [{ request_put: { key, value } }],
    failure: [{ request_range: { key } }],
  };
}

export function openRawTransactions(kind: ClientKind, endpoints: readonly string[]): RawTransactions {
  const client = kind === 'own' ? ownClient(endpoints) : etcd3Client(endpoints);
  const update: RawTransactions['update'] = async (target, value) => {
    const { succeeded, header } = await client.txn(transactionOf(target, value));
    if (!succeeded) throw new Error(`${target.key.toString()} was changed by somebody else`);
    target.revision = Number(header.revision);
  };
  return {
    update,
    create: (value) => update(newTarget(), value),
    probe: () => client.probe(),
    follow: (folder) => client.follow(folder),
    close: () => {
      client.close();
    },
  };
}

const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore };

function ignore(): void {
  // Nobody reads the log of a bench.
}

function ownClient(endpoints: readonly string[]): Client {
  const options = { endpoints, logger: silent, metrics: { observeEtcdRequest: ignore } };
  const client = new EtcdClient({ options, times: defaultTimes, ...systemEnvironment });
  return {
    txn: (request) => client.txn(request),
    probe: () => client.range({ key: probed, count_only: true }, { operation: 'probe' }),
    follow: async (folder) => {
      // Everything that begins with the folder and a slash; `0` is the character behind that.
      const range = {
        key: Buffer.from(`${folder}/`),
        range_end: Buffer.from(`${folder}0`),
        start_revision: 0,
      };
      await client.watch({ create_request: range }, { onResponse: ignore, onEnd: ignore });
    },
    close: () => {
      client.close();
    },
  };
}

function etcd3Client(endpoints: readonly string[]): Client {
  const client = new Etcd3({ hosts: [...endpoints] });
  return {
    // The same message; its types want enumerations by name.
    txn: (request) => client.kv.txn(request as unknown as ITxnRequest),
    probe: () => client.kv.range({ key: probed, count_only: true }),
    follow: () => Promise.reject(new Error('only the own client follows')),
    close: () => {
      client.close();
    },
  };
}
