/**
 * Clients that count: each adds one to a number that it read. Two of them write equal bytes over the same revision, so
 * that only the mark of a write tells whose it was, and in the end the number tells whether any was lost or told twice.
 */
import { StorageError } from '../../../src/storage/types.ts';
import type { Life, World } from './world.ts';
import { answered, NoAnswer } from './answered.ts';
import type { ClientParts } from './storage-client.ts';

const collection = 'core/secrets';
const key = 'a/counter';
/** Virtual milliseconds in which a replica that was given another key has read everything again. */
const readAgainMs = 1_000;

export class StorageCounter {
  readonly #parts: ClientParts;
  /** Additions that were told to be done, and those whose outcome is not known. */
  done = 0;
  unknown = 0;

  constructor(parts: ClientParts) {
    this.#parts = parts;
  }

  async run(mayGoOn: () => boolean): Promise<void> {
    const { world, random } = this.#parts;
    while (mayGoOn()) {
      await world.wait(random.between(0.1, 300), 'count');
      const alive = world.replicas.filter(({ isAlive }) => isAlive);
      if (alive.length > 0) await this.#add(random.pick(alive).life);
    }
  }

  async #add(life: Life): Promise<void> {
    const before = await read(this.#parts.world, life).catch(() => undefined);
    if (before === undefined) return;
    const bytes = Buffer.from(JSON.stringify({ count: before.count + 1 }));
    const { storage } = life;
    const writing = answered(this.#parts.world, life, () =>
      before.version === 0
        ? storage.create(collection, key, bytes)
        : storage.update(collection, key, bytes, before.version),
    );
    await writing.then(
      () => (this.done += 1),
      (error: unknown) => {
        const code = error instanceof StorageError ? error.code : undefined;
        if (error instanceof NoAnswer || code === 'timeout' || code === 'stopped') this.unknown += 1;
        else if (code === undefined) throw error;
      },
    );
  }
}

async function read(world: World, life: Life): Promise<{ count: number; version: number }> {
  const entry = await answered(world, life, (lifetime) =>
    life.storage.get(collection, key, { kind: 'mostRecent' }, lifetime),
  );
  if (entry === undefined) return { count: 0, version: 0 };
  return { ...(JSON.parse(entry.bytes.toString()) as { count: number }), version: entry.modRevision };
}

/** As `read`, also by a replica that reads everything again with a key that it was just given. */
async function readInTime(world: World, life: Life): ReturnType<typeof read> {
  const deadline = world.time + readAgainMs;
  for (;;) {
    try {
      return await read(world, life);
    } catch (error) {
      const mayPass = error instanceof StorageError && error.code === 'unreadable' && world.time < deadline;
      if (!mayPass) throw error;
      await world.wait(10, 'reads again');
    }
  }
}

/** In words, if the number is not what was added; asks a replica of a world without faults. */
export async function judgeCounters(world: World, counters: readonly StorageCounter[]): Promise<string[]> {
  const [replica] = world.replicas;
  if (replica === undefined) return [];
  const { count } = await readInTime(world, replica.life);
  const done = counters.reduce((sum, counter) => sum + counter.done, 0);
  const unknown = counters.reduce((sum, counter) => sum + counter.unknown, 0);
  if (count >= done && count <= done + unknown) return [];
  return [
    `counted: ${String(count)} after ${String(done)} additions and ${String(unknown)} of unknown outcome`,
  ];
}
