/** The engine `etcd`: keys below a prefix of their own, so that forks are in the same etcd and versions go on growing. */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../base/clock.ts';
import type { Environment } from '../../../base/environment.ts';
import type { KeptKey, KeyDifference } from '../../../memory-etcd/memory-etcd.ts';
import type { EtcdState, IncludesKey, PlaneEtcd } from '../plane-etcd.ts';
import type { Int64 } from '../../../storage/etcd/message-types.ts';
import { isObjectKey } from '../object-keys.ts';
import { EtcdKeys, type KeyChanges, type StoredKey, type StoredKeys } from './etcd-keys.ts';
import type { EtcdLease } from './shared-etcd.ts';

/** While controllers write at the same time, keys are compared again. */
const mostRounds = 10;

interface KeptKeys {
  readonly prefix: string;
  readonly keys: StoredKeys;
}

export class RealPlaneEtcd implements PlaneEtcd {
  readonly prefix = `/control-planes/${randomUUID()}`;
  readonly #etcd: EtcdLease;
  readonly #keys: EtcdKeys;
  readonly forksHaveItsRevisions = false;
  /** Nothing of it happens in this process. */
  readonly activity = 0;

  /** It has joined the users of the etcd. */
  constructor(etcd: EtcdLease, clock: Clock) {
    this.#etcd = etcd;
    this.#keys = new EtcdKeys(etcd.access.endpoints, etcd.tls, clock);
  }

  get access(): EtcdLease['access'] {
    return this.#etcd.access;
  }

  get connectLine(): EtcdKeys['connect'] {
    return this.#keys.connect;
  }

  /** Reads all keys at one revision. */
  async snapshot(): Promise<EtcdState> {
    return { prefix: this.prefix, keys: await this.#read() } satisfies KeptKeys;
  }

  async keysOf(state: EtcdState): Promise<readonly KeptKey[]> {
    const kept: KeptKey[] = [];
    for (const [key, { value, lease }] of this.#own(state)) {
      const leftMs = await this.#keys.leftMs(lease);
      kept.push({ key: Buffer.from(key, 'latin1'), value, ...(leftMs !== undefined && { leftMs }) });
    }
    return kept;
  }

  async differencesFrom(state: EtcdState, includes: IncludesKey): Promise<Iterable<KeyDifference>> {
    const [then, now] = [this.#own(state), await this.#read()];
    return [...differences(now, then, includes).keys()].map((text) => ({
      key: Buffer.from(text, 'latin1'),
      before: then.get(text)?.value,
      after: now.get(text)?.value,
    }));
  }

  /** Reads all keys, and writes those that differ. */
  rewind(state: EtcdState, includes: IncludesKey): Promise<number> {
    return this.#become(this.#own(state), includes);
  }

  /** As `rewind`; each time that is left gets a lease. */
  async replace(keys: readonly KeptKey[], includes: IncludesKey): Promise<number> {
    const leases = new Map<number, Int64>();
    const then = new Map<string, StoredKey>();
    for (const { key, value, leftMs } of keys) {
      if (leftMs !== undefined && !leases.has(leftMs)) leases.set(leftMs, await this.#keys.grant(leftMs));
      const lease = leftMs === undefined ? 0 : (leases.get(leftMs) ?? 0);
      then.set(key.toString('latin1'), { value, lease });
    }
    return this.#become(then, includes);
  }

  async #become(then: StoredKeys, includes: IncludesKey): Promise<number> {
    const changed = new Set<string>();
    for (let round = 0; round < mostRounds; round += 1) {
      const written = await this.#keys.write(differences(await this.#read(), then, includes));
      if (written.length === 0) break;
      for (const key of written) changed.add(key);
    }
    return changed.size;
  }

  #read(): Promise<StoredKeys> {
    return this.#keys.read(`${this.prefix}/`);
  }

  /** The keys as they would be below the prefix of this one: the state may be of the one that it goes on from. */
  #own(state: EtcdState): StoredKeys {
    const { prefix, keys } = state as KeptKeys;
    if (prefix === this.prefix) return keys;
    return new Map([...keys].map(([key, stored]) => [this.prefix + key.slice(prefix.length), stored]));
  }

  /** Copies objects to another prefix. */
  async fork(state: EtcdState | undefined, { clock }: Environment): Promise<PlaneEtcd> {
    const { prefix, keys } = (state ?? (await this.snapshot())) as KeptKeys;
    this.#etcd.join();
    const fork = new RealPlaneEtcd(this.#etcd, clock);
    const isObject = isObjectKey(prefix);
    const copies = new Map<string, StoredKey>();
    for (const [key, stored] of keys)
      if (isObject(key)) copies.set(fork.prefix + key.slice(prefix.length), stored);
    await fork.#keys.write(copies);
    return fork;
  }

  /** Nothing of it stays in an etcd that others run. */
  async close(): Promise<void> {
    try {
      const left = await this.#read();
      await this.#keys.write(new Map([...left.keys()].map((key) => [key, undefined])));
    } finally {
      this.#keys.close();
      await this.#etcd.leave();
    }
  }
}

/** What makes `now` what `then` was. */
function differences(now: StoredKeys, then: StoredKeys, includes: IncludesKey): KeyChanges {
  const changes = new Map<string, StoredKey | undefined>();
  for (const [key, was] of then) {
    const is = now.get(key);
    if (includes(key) && !(is && isEqual(is, was))) changes.set(key, was);
  }
  for (const key of now.keys()) if (includes(key) && !then.has(key)) changes.set(key, undefined);
  return changes;
}

function isEqual(a: StoredKey, b: StoredKey): boolean {
  return String(a.lease) === String(b.lease) && a.value.equals(b.value);
}
