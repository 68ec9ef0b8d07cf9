/**
 * Parts of replicas that keep a collection in memory, as authorization, flow control and definitions do
 * (`storage/follow-collection.ts`): each process has one, which lives as long as it and never asks another replica.
 */
import { followCollection } from '../../../src/storage/follow-collection.ts';
import type { CollectionSnapshot, Entry, ObjectKey, StoredEvent } from '../../../src/storage/types.ts';
import type { State } from '../../support/histories/types.ts';
import { SeededRandom } from './seeded-random.ts';
import { collection } from './storage-client.ts';
import type { Life, World } from './world.ts';

/** What informers read in an entry. */
type ReadState = (entry: Entry) => State;

class Informer {
  readonly #violations: string[];
  readonly #read: ReadState;
  readonly #name: string;
  /** Resolves when a state is taken, which may be much. */
  readonly #takeTime: () => Promise<void>;
  #states = new Map<ObjectKey, State>();
  #isTaking = false;

  constructor(
    parts: {
      readonly violations: string[];
      readonly read: ReadState;
      readonly takeTime: () => Promise<void>;
    },
    name: string,
  ) {
    this.#violations = parts.violations;
    this.#read = parts.read;
    this.#takeTime = parts.takeTime;
    this.#name = name;
  }

  follow({ storage, clock, ended }: Life, random: SeededRandom): void {
    const listener = {
      onState: (snapshot: CollectionSnapshot) => this.#take(snapshot),
      onEvents: (events: readonly StoredEvent[]) => this.#apply(events),
    };
    followCollection({ storage, clock, random }, collection, listener, ended);
  }

  /** In the order of their keys. */
  get states(): State[] {
    return [...this.#states.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  async #take(snapshot: CollectionSnapshot): Promise<void> {
    this.#isTaking = true;
    await this.#takeTime();
    this.#states = new Map([...snapshot.entries('', '')].map((entry) => [entry.key, this.#read(entry)]));
    this.#isTaking = false;
  }

  #apply(events: readonly StoredEvent[]): void {
    if (this.#isTaking)
      this.#violations.push(`informer: ${this.#name} is given events before it has taken the state`);
    for (const { type, key, entry } of events) {
      if (type === 'delete') this.#states.delete(key);
      else this.#states.set(key, this.#read(entry));
    }
  }
}

export class Informers {
  readonly violations: string[] = [];
  readonly #world: World;
  readonly #read: ReadState;
  readonly #random: SeededRandom;
  readonly #informers = new Map<Life, Informer>();

  constructor(world: World, read: ReadState) {
    this.#world = world;
    this.#read = read;
    this.#random = new SeededRandom(world.options.seed, 'informers');
  }

  /** A process begins. */
  begin(life: Life): void {
    const { violations } = this;
    const [world, random] = [this.#world, this.#random];
    const takeTime = (): Promise<void> =>
      random.chance(0.5) ? Promise.resolve() : world.wait(random.between(0.1, 200), 'informer');
    const informer = new Informer({ violations, read: this.#read, takeTime }, life.process.name);
    informer.follow(life, new SeededRandom(world.options.seed, `informer of ${life.process.name}`));
    this.#informers.set(life, informer);
  }

  /** Resolves when those of all replicas have these objects, or with words about one that has not by the deadline. */
  async agree(expected: readonly State[], deadline: number): Promise<string | undefined> {
    const world = this.#world;
    const wanted = JSON.stringify(expected.map(shown));
    for (const { life } of world.replicas) {
      const has = (): string => JSON.stringify(this.#informers.get(life)?.states.map(shown));
      while (has() !== wanted) {
        if (world.time > deadline)
          return `informer: ${life.process.name} has ${has()} at the end instead of ${wanted}`;
        await world.wait(50, 'informers');
      }
    }
    return undefined;
  }
}

function shown({ key, version, value }: State): State {
  return { key, version, value };
}
