/** Many objects straight into etcd: the bytes that the service has stored for one, with a name, a uid and a mark of their own. */
import { setTimeout as delay } from 'node:timers/promises';

import { systemEnvironment } from '../../../src/base/environment.ts';
import { EtcdClient } from '../../../src/storage/etcd/client.ts';
import type { KeyValue } from '../../../src/storage/etcd/message-types.ts';
import { defaultTimes } from '../../../src/storage/options.ts';
import { MarkMaker, markOf, withMark, withoutMark } from '../../../src/storage/write/mark.ts';

/** What the name, the slot and the namespace of a template are; names and slots of its copies have the same length. */
export const template = { name: 'item-0000000', slot: 'slot-000', namespace: 'scale-0' } as const;
/** Copies are shared out among so many namespaces and slots. */
export const namespaces = 10;
export const slotCount = 1_000;

/** Bytes of values in one transaction: etcd takes 1.5 MB of a request. */
const batchBytes = 1_000_000;
/** Operations in one transaction; etcd is started with `--max-txn-ops` of this. */
export const batchOperations = 1_000;
const connections = 4;

export function nameOf(index: number): string {
  return `item-${String(index).padStart(7, '0')}`;
}

/** @param count of namespaces */
export function namespaceOf(index: number, count = namespaces): string {
  return `scale-${index % count}`;
}

export function slotOf(index: number): string {
  return `slot-${String(index % slotCount).padStart(3, '0')}`;
}

interface Put {
  readonly key: Buffer;
  readonly value: Buffer;
}

/** Writes copies of what is stored below one key. */
export class Copies {
  readonly #key: string;
  readonly #text: string;
  readonly #uid: string;
  readonly #namespaces: number;
  readonly #marks = new MarkMaker(systemEnvironment.random);

  /** @param count of namespaces */
  constructor({ key, value }: KeyValue, count = namespaces) {
    this.#namespaces = count;
    this.#key = key.toString();
    this.#text = withoutMark(value, markOf(value)).toString();
    this.#uid = /"uid":"([^"]+)"/.exec(this.#text)?.[1] ?? '';
    if (this.#uid === '') throw new Error(`no uid in what is stored as ${this.#key}`);
  }

  /** Key and value of the object of this number. */
  put(index: number): Put {
    const uid = this.#uid.slice(0, -12) + index.toString(16).padStart(12, '0');
    const text = this.#rename(this.#text, index)
      .replaceAll(template.slot, slotOf(index))
      .replaceAll(this.#uid, uid);
    return {
      key: Buffer.from(this.#rename(this.#key, index)),
      value: withMark(Buffer.from(text), this.#marks.next()),
    };
  }

  #rename(text: string, index: number): string {
    const namespace = namespaceOf(index, this.#namespaces);
    return text.replaceAll(template.name, nameOf(index)).replaceAll(template.namespace, namespace);
  }
}

/** Milliseconds of a call: a megabyte takes long where many programs want the processors. */
const callMs = 60_000;

/** A client of etcd of the bench's own. */
export function openEtcd(endpoints: readonly string[]): EtcdClient {
  const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore };
  const options = { endpoints, logger: silent, metrics: { observeEtcdRequest: ignore } };
  const times = { ...defaultTimes, attempt: callMs, operation: callMs };
  return new EtcdClient({ options, times, ...systemEnvironment });
}

function ignore(): void {
  // Nothing of this is shown.
}

/** What is stored as the template of a resource. @throws when there is nothing */
export async function templateBelow(etcd: EtcdClient, folder: string): Promise<KeyValue> {
  const key = Buffer.from(`${folder}/${template.namespace}/${template.name}`);
  const [only] = (await etcd.range({ key })).kvs;
  if (only === undefined) throw new Error(`nothing is stored as ${key.toString()}`);
  return only;
}

/** Stores the copies `from` to `to - 1`, several transactions at once. Gives the bytes of the values. @throws EtcdError */
export async function storeCopies(
  endpoints: readonly string[],
  copies: Copies,
  [from, to]: readonly [number, number],
  largest = batchOperations,
): Promise<number> {
  let [next, bytes] = [from, 0];
  const worker = async (): Promise<void> => {
    const etcd = openEtcd(endpoints);
    try {
      while (next < to) {
        const [puts, size] = batch(copies, next, Math.min(to, next + largest));
        next += puts.length;
        bytes += size;
        const success = puts.map((request_put) => ({ request_put }));
        await etcd.txn({ compare: [], success, failure: [] });
      }
    } finally {
      etcd.close();
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  return bytes;
}

/** etcd commits what is pending so often. */
const commitIntervalMs = 100;

/**
 * Lets etcd forget the size of its largest batch. Until 3.5.2 it copies its read buffer for each request, and keeps that as
 * large as a batch of the fill has made it until two commits in a row have no key in them: a probe takes 1.5 ms of
 * processor time until then. What a service in use writes comes in batches of a few.
 */
export async function forgetBatches(endpoints: readonly string[]): Promise<void> {
  const etcd = openEtcd(endpoints);
  try {
    for (let commit = 0; commit < 3; commit += 1) {
      const { ID } = await etcd.grantLease(60);
      await delay(2 * commitIntervalMs);
      await etcd.revokeLease(ID);
      await delay(2 * commitIntervalMs);
    }
  } finally {
    etcd.close();
  }
}

/** At least one object. */
function batch(copies: Copies, from: number, to: number): [readonly Put[], number] {
  const puts: Put[] = [];
  let size = 0;
  for (let index = from; index < to && size < batchBytes; index += 1) {
    const put = copies.put(index);
    size += put.value.length;
    puts.push(put);
  }
  return [puts, size];
}
