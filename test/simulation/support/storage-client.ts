/** A client of the storage of replicas: reads and writes at random, and says what it was told. */
import {
  StorageError,
  type Entry,
  type Freshness,
  type ObjectKey,
  type Revision,
  type WriteReceipt,
} from '../../../src/storage/types.ts';
import type { ReadError, State, WriteOutcome, WriteRecord } from '../../support/histories/types.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { Life, World } from './world.ts';
import { answered, NoAnswer } from './answered.ts';
import type { Recorder } from './recorder.ts';

export const collection = 'core/configmaps';

export interface ClientParts {
  readonly world: World;
  readonly recorder: Recorder;
  readonly random: SeededRandom;
  readonly name: string;
  readonly keys: readonly ObjectKey[];
}

const verbs = {
  ...{ get: 22, getAny: 4, getNotOlder: 4, getExact: 4 },
  ...{ list: 10, listAny: 3, listNotOlder: 3, listExact: 4 },
  ...{ create: 14, update: 26, delete: 10 },
} as const;

export class StorageClient {
  readonly #parts: ClientParts;
  /** The newest version of each object that it was told of. */
  readonly #known = new Map<ObjectKey, Revision>();
  /** Versions of lists that it was told. */
  readonly #listed: Revision[] = [];
  #newest: Revision = 0;
  #values = 0;

  constructor(parts: ClientParts) {
    this.#parts = parts;
  }

  /** Goes on until it is told to end. */
  async run(mayGoOn: () => boolean): Promise<void> {
    const { world, random } = this.#parts;
    while (mayGoOn()) {
      await world.wait(random.chance(0.5) ? random.between(0.1, 5) : random.between(5, 400), 'think');
      const alive = world.replicas.filter(({ isAlive }) => isAlive);
      if (alive.length > 0) await this.#act(random.pick(alive).life);
    }
  }

  #act(life: Life): Promise<void> {
    const { random, keys } = this.#parts;
    const key = random.pick(keys);
    const verb = random.weighted(verbs);
    switch (verb) {
      case 'get':
        return this.get(life, key, { kind: 'mostRecent' });
      case 'getAny':
        return this.get(life, key, { kind: 'any' });
      case 'getNotOlder':
        return this.get(life, key, { kind: 'notOlderThan', revision: this.#newest });
      case 'getExact':
        return this.get(life, key, this.#exact());
      case 'list':
        return this.list(life, { kind: 'mostRecent' });
      case 'listAny':
        return this.list(life, { kind: 'any' });
      case 'listNotOlder':
        return this.list(life, { kind: 'notOlderThan', revision: this.#newest });
      case 'listExact':
        return this.list(life, this.#exact());
      case 'create':
      case 'update':
      case 'delete':
        return this.#write(life, verb, key);
    }
  }

  /** A version that it was told, or the newest state if there is none. */
  #exact(): Freshness {
    const { random } = this.#parts;
    if (this.#listed.length === 0) return { kind: 'mostRecent' };
    const revision = random.chance(0.5) ? (this.#listed.at(-1) ?? 0) : random.pick(this.#listed);
    return { kind: 'exact', revision };
  }

  async get(life: Life, key: ObjectKey, freshness: Freshness): Promise<void> {
    const { recorder, world } = this.#parts;
    const asked = this.#asked('get', life);
    const answer = await answered(world, life, (lifetime) =>
      life.storage.get(collection, key, freshness, lifetime),
    ).then(
      (entry) => ({ found: entry && stateOf(entry) }),
      (error: unknown) => ({ error: readError(error) }),
    );
    if ('found' in answer && freshness.kind !== 'exact') this.#learn(key, answer.found?.version);
    recorder.gets.push({ ...asked, key, freshness, answer, end: recorder.point() });
  }

  async list(life: Life, freshness: Freshness): Promise<void> {
    const { recorder, world } = this.#parts;
    const asked = this.#asked('list', life);
    const filter = { prefix: '' };
    try {
      const state = await answered(world, life, (lifetime) =>
        life.storage.snapshot(collection, freshness, lifetime),
      );
      const unreadable = state.unreadableIn?.('');
      if (unreadable !== undefined) throw unreadable;
      const items = [...state.entries('', '')].map(stateOf);
      const page = {
        call: asked.call,
        end: recorder.point(),
        version: state.revision,
        items,
        continues: false,
      };
      recorder.lists.push({ ...asked, filter, freshness, pages: [page] });
      this.#listed.push(state.revision);
      this.#newest = Math.max(this.#newest, state.revision);
      if (freshness.kind !== 'exact') for (const { key, version } of items) this.#known.set(key, version);
    } catch (error) {
      recorder.lists.push({ ...asked, filter, freshness, pages: [], error: readError(error) });
    }
  }

  /** Replaces what is encrypted otherwise than the configuration says, as operators do. */
  async replaceStale(life: Life): Promise<void> {
    const lifetime = { aborted: false, reason: undefined };
    const state = await life.storage.snapshot(collection, { kind: 'mostRecent' }, lifetime);
    for (const { key, modRevision, isRecoded } of state.entries('', '')) {
      if (isRecoded !== true) continue;
      this.#known.set(key, modRevision);
      await this.#write(life, 'update', key);
    }
  }

  async #write(life: Life, verb: WriteRecord['verb'], key: ObjectKey): Promise<void> {
    const { recorder, name, world } = this.#parts;
    const expected = this.#known.get(key);
    if (verb !== 'create' && expected === undefined) {
      await this.get(life, key, { kind: 'mostRecent' });
      return;
    }
    this.#values += 1;
    const value = verb === 'delete' ? '' : `${name}.${String(this.#values)}`;
    const asked = this.#asked(verb, life);
    const writing = answered(world, life, () =>
      this.#send(life, { verb, key, value, expected: expected ?? 0 }),
    );
    const outcome = await writing.then(
      ({ revision }): WriteOutcome => ({ kind: 'done', version: verb === 'delete' ? undefined : revision }),
      outcomeOf,
    );
    const end = outcome.kind === 'unknown' ? undefined : recorder.point();
    const guard = verb === 'create' ? {} : { expected: expected ?? 0 };
    recorder.writes.push({ ...asked, verb, key, value, ...guard, outcome, end });
    this.#conclude(verb, key, outcome);
  }

  #send(
    { storage }: Life,
    {
      verb,
      key,
      value,
      expected,
    }: { verb: WriteRecord['verb']; key: ObjectKey; value: string; expected: Revision },
  ): Promise<WriteReceipt> {
    const bytes = Buffer.from(JSON.stringify({ value }));
    if (verb === 'create') return storage.create(collection, key, bytes);
    if (verb === 'update') return storage.update(collection, key, bytes, expected);
    return storage.delete(collection, key, expected);
  }

  #conclude(verb: WriteRecord['verb'], key: ObjectKey, outcome: WriteOutcome): void {
    if (outcome.kind === 'done' && verb !== 'delete') this.#learn(key, outcome.version);
    else if (outcome.kind !== 'refused' || outcome.reason !== 'later') this.#known.delete(key);
  }

  #learn(key: ObjectKey, version: Revision | undefined): void {
    if (version === undefined) this.#known.delete(key);
    else this.#known.set(key, version);
    this.#newest = Math.max(this.#newest, version ?? 0);
  }

  #asked(what: string, { process }: Life) {
    const { recorder, name } = this.#parts;
    return { id: recorder.id(what), client: name, replica: process.name, collection, call: recorder.point() };
  }
}

export function stateOf(entry: Entry): State {
  const { value } = JSON.parse(entry.bytes.toString()) as { value: string };
  return { key: entry.key, version: entry.modRevision, value };
}

function readError(error: unknown): ReadError {
  if (!(error instanceof StorageError)) {
    if (error instanceof NoAnswer) return 'unavailable';
    throw error;
  }
  if (error.code === 'compacted') return 'expired';
  return error.code === 'futureRevision' ? 'tooLarge' : 'unavailable';
}

function outcomeOf(error: unknown): WriteOutcome {
  if (error instanceof NoAnswer) return { kind: 'unknown' };
  if (!(error instanceof StorageError)) throw error;
  const { code, current } = error;
  if (code === 'exists' || code === 'notFound') return { kind: 'refused', reason: code };
  if (code === 'conflict')
    return { kind: 'refused', reason: code, ...(current && { current: current.modRevision }) };
  if (code === 'timeout' || code === 'stopped') return { kind: 'unknown' };
  if (code === 'unavailable' || code === 'unreadable') return { kind: 'refused', reason: 'later' };
  throw error;
}
