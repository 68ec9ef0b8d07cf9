/** A client of the API of replicas: reads and writes config maps with labels, and says what it was told. */
import { StatusError } from '../../../src/meta/status.ts';
import type { RequestScope, ResourceVerbs } from '../../../src/registry/types.ts';
import type { Lifetime } from '../../../src/storage/types.ts';
import { configMap, everything, plainDelete, scope } from '../../support/registry.ts';
import type {
  Filter,
  Freshness,
  ObjectKey,
  Page,
  Revision,
  WriteOutcome,
  WriteRecord,
} from '../../support/histories/types.ts';
import { answered, NoAnswer } from './answered.ts';
import { verbsOf } from './api-replica.ts';
import {
  apiReadError,
  apiStateOf,
  nameOf,
  namespaceOf,
  selectorOf,
  someFilter,
  someLabels,
} from './api-state.ts';
import { collection, type ClientParts } from './storage-client.ts';
import type { Life } from './world.ts';

const reads = {
  ...{
    get: 20,
    getAny: 4,
    getNotOlder: 4,
    list: 10,
    listAny: 3,
    listNotOlder: 3,
    listExact: 4,
    listChunks: 6,
  },
} as const;
const writes = { create: 14, replace: 12, patch: 10, apply: 6, delete: 10 } as const;
type WriteVerb = keyof typeof writes;

/** What a write asks for. */
interface Intent {
  readonly verb: WriteVerb;
  readonly key: ObjectKey;
  readonly value: string;
  /** Only if the object is at this version. */
  readonly expected: Revision | undefined;
}

export class ApiClient {
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
      const life = this.#someLife();
      if (life !== undefined) await this.#act(life);
    }
  }

  #someLife(): Life | undefined {
    const { world, random } = this.#parts;
    const alive = world.replicas.filter(({ isAlive }) => isAlive);
    return alive.length === 0 ? undefined : random.pick(alive).life;
  }

  #act(life: Life): Promise<void> {
    const { random, keys } = this.#parts;
    const key = random.pick(keys);
    if (random.chance(0.5)) return this.#write(life, random.weighted(writes), key);
    const verb = random.weighted(reads);
    switch (verb) {
      case 'get':
        return this.#get(life, key, { kind: 'mostRecent' });
      case 'getAny':
        return this.#get(life, key, { kind: 'any' });
      case 'getNotOlder':
        return this.#get(life, key, this.#notOlder());
      case 'list':
        return this.list(life, { kind: 'mostRecent' });
      case 'listAny':
        return this.list(life, { kind: 'any' });
      case 'listNotOlder':
        return this.list(life, this.#notOlder());
      case 'listExact':
        return this.list(life, this.#exact(), random.chance(0.5) ? 1 + random.below(3) : 0);
      case 'listChunks':
        return this.list(life, { kind: 'mostRecent' }, 1 + random.below(3));
    }
  }

  #notOlder(): Freshness {
    return this.#newest === 0 ? { kind: 'mostRecent' } : { kind: 'notOlderThan', revision: this.#newest };
  }

  /** A version that it was told, or the newest state if there is none. */
  #exact(): Freshness {
    const { random } = this.#parts;
    if (this.#listed.length === 0) return { kind: 'mostRecent' };
    const revision = random.chance(0.5) ? (this.#listed.at(-1) ?? 0) : random.pick(this.#listed);
    return { kind: 'exact', revision };
  }

  async #get(life: Life, key: ObjectKey, freshness: Freshness): Promise<void> {
    const { recorder } = this.#parts;
    const asked = this.#asked('get', life);
    const resourceVersion = versionOf(freshness);
    const answer = await this.#ask(life, namespaceOf(key), (verbs, where) =>
      verbs.get(where, nameOf(key), { resourceVersion }),
    ).then(
      (entry) => ({ found: apiStateOf(entry) }),
      (error: unknown) => (hasCode(error, 404) ? { found: undefined } : { error: apiReadError(error) }),
    );
    if ('found' in answer) this.#learn(key, answer.found?.version);
    recorder.gets.push({ ...asked, key, freshness, answer, end: recorder.point() });
  }

  /** @param limit of each chunk, each of any replica; 0 for the whole */
  async list(life: Life, freshness: Freshness, limit = 0): Promise<void> {
    const { recorder, random, keys } = this.#parts;
    const asked = this.#asked('list', life);
    const filter = someFilter(random, keys);
    const pages: Page[] = [];
    const list = { ...asked, filter, freshness, pages };
    try {
      let token = '';
      do {
        const call = pages.length === 0 ? asked.call : recorder.point();
        const from = pages.length === 0 ? life : this.#someLife();
        if (from === undefined) throw new NoAnswer();
        const start = token === '' ? startOf(freshness) : { continue: token };
        const { page, next } = await this.#page(from, filter, { ...everything, ...start, limit });
        pages.push({ ...page, call, end: recorder.point() });
        token = next;
      } while (token !== '');
      recorder.lists.push(list);
    } catch (error) {
      recorder.lists.push({ ...list, error: apiReadError(error) });
    }
  }

  async #page(
    life: Life,
    filter: Filter,
    options: typeof everything,
  ): Promise<{ page: Omit<Page, 'call' | 'end'>; next: string }> {
    const labelSelector = selectorOf(filter);
    const { revision, entries, ...rest } = await this.#ask(life, namespaceOf(filter.prefix), (verbs, where) =>
      verbs.list(where, { ...options, labelSelector }),
    );
    this.#listed.push(revision);
    this.#newest = Math.max(this.#newest, revision);
    const next = rest.continue;
    return {
      page: { version: revision, items: Array.from(entries, apiStateOf), continues: next !== '' },
      next,
    };
  }

  async #write(life: Life, verb: WriteVerb, key: ObjectKey): Promise<void> {
    const { recorder, name, random } = this.#parts;
    this.#values += 1;
    const value = verb === 'delete' ? '' : `${name}.${String(this.#values)}`;
    const mayExpect = verb === 'replace' || verb === 'delete';
    const expected = mayExpect && random.chance(0.7) ? this.#known.get(key) : undefined;
    const intent: Intent = { verb, key, value, expected };
    const asked = this.#asked(verb, life);
    const outcome = await this.#ask(life, namespaceOf(key), (verbs, where) =>
      this.#send(verbs, where, intent),
    ).then(
      (version): WriteOutcome => ({ kind: 'done', version }),
      (error: unknown) => outcomeOf(error),
    );
    const end = outcome.kind === 'unknown' ? undefined : recorder.point();
    const kind = verb === 'create' || verb === 'delete' ? verb : 'update';
    const guard = expected === undefined ? {} : { expected };
    recorder.writes.push({ ...asked, verb: kind, key, value, ...guard, outcome, end });
    this.#conclude(kind, key, outcome);
  }

  /** The version that it left; undefined after a removal. */
  async #send(
    verbs: ResourceVerbs,
    where: RequestScope,
    { verb, key, value, expected }: Intent,
  ): Promise<Revision | undefined> {
    const name = nameOf(key);
    const labels = someLabels(this.#parts.random);
    const resourceVersion = expected === undefined ? undefined : String(expected);
    if (verb === 'delete') {
      const preconditions = resourceVersion === undefined ? undefined : { resourceVersion };
      await verbs.delete(where, name, { ...plainDelete, preconditions });
      return undefined;
    }
    const object = configMap(name, { value }, labels);
    if (verb === 'create') return (await verbs.create(where, name, object)).entry.modRevision;
    if (verb === 'apply') return (await verbs.apply(where, name, object, { force: true })).entry.modRevision;
    if (verb === 'patch') {
      const merge = (current: typeof object): typeof object => ({
        ...current,
        metadata: { ...(current['metadata'] as typeof object), labels },
        data: { value },
      });
      return (await verbs.patch(where, name, merge)).entry.modRevision;
    }
    const metadata = { name, labels, ...(resourceVersion !== undefined && { resourceVersion }) };
    return (await verbs.replace(where, name, { ...object, metadata })).entry.modRevision;
  }

  /** Asks within what a client waits. An apply to a missing object is refused, so that each write has one verb. */
  #ask<T>(
    life: Life,
    namespace: string,
    ask: (verbs: ResourceVerbs, where: RequestScope) => Promise<T>,
  ): Promise<T> {
    const { world, name } = this.#parts;
    return answered(world, life, (lifetime: Lifetime) => {
      const where = Object.assign(scope('configmaps', { namespace }), {
        ...{ lifetime, fieldManager: name },
        assertMayCreate: () => Promise.reject(new StatusError(404, 'NotFound', 'nothing to apply to')),
      });
      return ask(verbsOf(world, life), where);
    });
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

/** The resource version that asks for a freshness. */
function versionOf(freshness: Freshness): string {
  if ('revision' in freshness) return String(freshness.revision);
  return freshness.kind === 'any' ? '0' : '';
}

function startOf(freshness: Freshness): { resourceVersion: string; resourceVersionMatch: string } {
  const match = { exact: 'Exact', notOlderThan: 'NotOlderThan', any: '', mostRecent: '' };
  return { resourceVersion: versionOf(freshness), resourceVersionMatch: match[freshness.kind] };
}

function hasCode(error: unknown, code: number): boolean {
  return error instanceof StatusError && error.code === code;
}

/** What the Status of a write says of its effect. @throws what no client should be told */
function outcomeOf(error: unknown): WriteOutcome {
  if (error instanceof NoAnswer || hasCode(error, 504)) return { kind: 'unknown' };
  if (!(error instanceof StatusError)) throw error;
  const reasons = {
    AlreadyExists: 'exists',
    NotFound: 'notFound',
    Conflict: 'conflict',
    ServiceUnavailable: 'later',
  } as const;
  const reason = reasons[error.reason as keyof typeof reasons] as
    (typeof reasons)[keyof typeof reasons] | undefined;
  if (reason === undefined) throw error;
  return { kind: 'refused', reason };
}
