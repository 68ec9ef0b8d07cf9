/**
 * Objects that etcd deletes some time after their last write, as it does events: clients write them through any replica,
 * and nobody deletes them. None goes early, and none stays.
 */
import type { StorageOptions } from '../../../src/storage/options.ts';
import { StorageError, type ObjectKey, type Revision } from '../../../src/storage/types.ts';
import type { Past } from '../../support/histories/types.ts';
import { answered, NoAnswer } from './answered.ts';
import type { ClientParts } from './storage-client.ts';
import type { Life } from './world.ts';

export const expiringCollection = 'core/events';

export const expiry = {
  collections: new Set([expiringCollection]),
  ttlSeconds: 40,
  leaseReuseSeconds: 60,
} satisfies StorageOptions['expiry'];
/** Milliseconds for which writes share a lease: a twentieth of the time to live. */
const windowMs = 2_000;
const ttlMs = expiry.ttlSeconds * 1_000;
/** Milliseconds after the last write in which every object is gone. */
export const longestLifeMs = ttlMs + windowMs + 1_000;

export class ExpiringClient {
  readonly #parts: ClientParts;
  readonly #known = new Map<ObjectKey, Revision>();
  #count = 0;
  /** When each value was asked to be written, in virtual milliseconds. */
  readonly askedAt = new Map<string, number>();

  constructor(parts: ClientParts) {
    this.#parts = parts;
  }

  async run(mayGoOn: () => boolean): Promise<void> {
    const { world, random } = this.#parts;
    while (mayGoOn()) {
      await world.wait(random.between(1, 1_000), 'report');
      const alive = world.replicas.filter(({ isAlive }) => isAlive);
      if (alive.length > 0) await this.#write(random.pick(alive).life);
    }
  }

  /** Creates an object, or writes one again that it has created. */
  async #write(life: Life): Promise<void> {
    const { world, random, name } = this.#parts;
    this.#count += 1;
    const value = `${name}.${String(this.#count)}`;
    const isAgain = this.#known.size > 0 && random.chance(0.3);
    const key = isAgain ? random.pick([...this.#known.keys()]) : `a/${name}-${String(this.#count)}`;
    const bytes = Buffer.from(JSON.stringify({ value }));
    this.askedAt.set(value, world.time);
    const { storage } = life;
    const writing = answered(world, life, () =>
      isAgain
        ? storage.update(expiringCollection, key, bytes, this.#known.get(key) ?? 0)
        : storage.create(expiringCollection, key, bytes),
    );
    await writing.then(
      ({ revision }) => this.#known.set(key, revision),
      (error: unknown) => {
        this.#known.delete(key);
        if (!(error instanceof NoAnswer) && !(error instanceof StorageError)) throw error;
      },
    );
  }
}

/**
 * Objects that went before their time, or stayed behind it, in words.
 * @param past of an etcd that was never restored: then leases begin again
 */
export function judgeLives(past: Past, clients: readonly ExpiringClient[]): string[] {
  const asked = new Map(clients.flatMap(({ askedAt }) => [...askedAt]));
  const last = new Map<ObjectKey, Written>();
  const problems: string[] = [];
  const end = (key: ObjectKey, at: number): void => {
    const { value, at: writtenAt } = last.get(key) ?? { value: '', at };
    last.delete(key);
    const isEarly = at - (asked.get(value) ?? at) < ttlMs;
    if (isEarly || at - writtenAt > longestLifeMs)
      problems.push(`expiry: ${key}=${value} of ${writtenAt.toFixed(0)} ms went at ${at.toFixed(0)} ms`);
  };
  for (const { at = 0, changes } of past.commits) {
    for (const { key, put } of changes) {
      if (put === undefined) end(key, at);
      else last.set(key, { value: put.value, at });
    }
  }
  return problems;
}

/** The last write of an object, and when it was committed. */
interface Written {
  readonly value: string;
  readonly at: number;
}
