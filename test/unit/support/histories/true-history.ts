/**
 * Right histories at random: a store with a log, replicas whose views lag behind, clients with requests in flight whose
 * answers may be lost, and watches that are cut and resumed. Its own words for all rules, none shared with the validators.
 */
import type {
  Commit,
  Filter,
  Freshness,
  GetRecord,
  History,
  Labels,
  ListRecord,
  State,
  Truth,
  WatchedEvent,
  WatchRecord,
  WriteOutcome,
  WriteRecord,
} from '../../../support/histories/types.ts';

const collection = 'core/configmaps';
const keys = ['a/x', 'a/y', 'b/x', 'b/y'];
const colors = ['red', 'blue'];
const filters: readonly Filter[] = [
  { prefix: '' },
  { prefix: 'a/' },
  { prefix: '', labels: { color: 'red' } },
  { prefix: 'b/', labels: { color: 'blue' } },
  { prefix: 'a/x', exactKey: true },
];

/** Numbers from a seed (xorshift). */
export function numbers(seed: number): (below: number) => number {
  let state = seed | 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

type Objects = ReadonlyMap<string, State & { readonly labels: Labels }>;

interface Pending {
  /** Takes effect; gives what the client is told then. */
  readonly effect: () => (end: number) => void;
  told?: (end: number) => void;
}

interface OpenWatch {
  readonly record: Omit<WatchRecord, 'ending' | 'events'> & { events: WatchedEvent[] };
  position: number;
}

/** Runs random steps and gives what was recorded. */
export class TrueHistory {
  readonly #pick: (below: number) => number;
  #clock = 0;
  #ids = 0;
  /** The state after each revision. */
  readonly #states: Objects[] = [new Map()];
  readonly #commits: Commit[] = [];
  readonly #views = [0, 0];
  readonly #pending: Pending[] = [];
  readonly #open: OpenWatch[] = [];
  readonly #gets: GetRecord[] = [];
  readonly #lists: ListRecord[] = [];
  readonly #writes: WriteRecord[] = [];
  readonly #watches: WatchRecord[] = [];

  constructor(seed: number) {
    this.#pick = numbers(seed);
    // The state moves from small seeds to well mixed numbers.
    for (let i = 0; i < 20; i += 1) this.#pick(2);
  }

  run(steps: number): { readonly history: History; readonly truth: Truth } {
    for (let i = 0; i < steps; i += 1) this.#step();
    for (const pending of this.#pending.splice(0)) this.#finish(pending);
    this.#views.fill(this.#head());
    for (const watch of this.#open.splice(0)) {
      this.#deliver(watch, this.#head());
      this.#end(watch, 'closed');
    }
    const history = { gets: this.#gets, lists: this.#lists, writes: this.#writes, watches: this.#watches };
    const past = { from: -Infinity, base: 0, commits: this.#commits, head: this.#head(), compacted: 0 };
    return { history, truth: { pasts: [past] } };
  }

  #step(): void {
    const dice = this.#pick(20);
    const pending = this.#pending[this.#pick(this.#pending.length + 1)];
    const watch = this.#open[this.#pick(this.#open.length + 1)];
    if (dice < 5 && this.#pending.length < 8) this.#start();
    else if (dice < 9 && pending && !pending.told) pending.told = pending.effect();
    else if (dice < 13 && pending) this.#finish(pending);
    else if (dice < 15) this.#follow(this.#pick(this.#views.length));
    else if (dice < 19 && watch) this.#moveWatch(watch);
    else if (dice === 19 && this.#open.length < 4) this.#startWatch(undefined);
  }

  #finish(pending: Pending): void {
    pending.told ??= pending.effect();
    pending.told(this.#now());
    const at = this.#pending.indexOf(pending);
    if (at >= 0) this.#pending.splice(at, 1);
  }

  #start(): void {
    const dice = this.#pick(10);
    const asked = this.#asked();
    if (dice < 5) this.#pending.push(this.#write(asked));
    else if (dice < 8) this.#pending.push(this.#get(asked));
    else this.#pending.push(this.#list(asked));
  }

  #write(asked: Asked): Pending {
    const key = keys[this.#pick(keys.length)]!;
    const known = this.#states[this.#pick(this.#head() + 1)]!.get(key);
    const verb = (['create', 'update', 'update', 'delete'] as const)[this.#pick(4)]!;
    const value = verb === 'delete' ? '' : `v${String(asked.call)}`;
    const expected = verb !== 'create' && known && this.#pick(2) === 0 ? known.version : undefined;
    const also = verb === 'create' && this.#pick(3) === 0 ? keys.find((other) => other !== key) : undefined;
    const common = { ...asked, verb, key, value, ...(expected !== undefined && { expected }) };
    if (this.#pick(10) === 0) {
      // The answer is lost; the write may have been, too.
      const isLost = this.#pick(2) === 0;
      const record = { ...common, end: undefined, outcome: { kind: 'unknown' as const } };
      return {
        effect: () => {
          if (!isLost) this.#apply(common, undefined);
          return () => this.#writes.push(record);
        },
      };
    }
    return {
      effect: () => {
        const outcome = this.#apply(common, also);
        return (end) => this.#writes.push({ ...common, end, outcome });
      },
    };
  }

  /** The rules of writes. With `also` the transaction creates or replaces a second object. */
  #apply(
    write: Pick<WriteRecord, 'verb' | 'key' | 'value' | 'expected'>,
    also: string | undefined,
  ): WriteOutcome {
    const { verb, key, value, expected } = write;
    const now = this.#states.at(-1)!;
    const current = now.get(key);
    if (verb === 'create' && current) return { kind: 'refused', reason: 'exists' };
    if (verb !== 'create' && !current) return { kind: 'refused', reason: 'notFound' };
    if (expected !== undefined && current?.version !== expected)
      return { kind: 'refused', reason: 'conflict', ...(current && { current: current.version }) };
    const next = new Map(now);
    const revision = this.#head() + 1;
    const changes: Commit['changes'][number][] = [];
    const put = (where: string, what: string): void => {
      const labels = { color: colors[this.#pick(2)]! };
      next.set(where, { key: where, version: revision, value: what, labels });
      changes.push({ collection, key: where, put: { value: what, labels } });
    };
    if (verb === 'delete') {
      next.delete(key);
      changes.push({ collection, key, put: undefined });
    } else put(key, value);
    if (also !== undefined) {
      const verbOfOther = now.has(also) ? 'update' : 'create';
      const outcome = { kind: 'done' as const, version: revision };
      const other = { ...this.#asked(), verb: verbOfOther, key: also, value: `${value}-also` } as const;
      put(also, other.value);
      this.#writes.push({ ...other, end: undefined, outcome });
    }
    this.#states.push(next);
    this.#commits.push({ revision, changes });
    return { kind: 'done', version: verb === 'delete' ? undefined : revision };
  }

  #get(asked: Asked): Pending {
    const key = keys[this.#pick(keys.length)]!;
    const freshness = this.#freshness();
    return {
      effect: () => {
        const found = this.#states[this.#revisionOf(asked, freshness)]!.get(key);
        return (end) => this.#gets.push({ ...asked, end, key, freshness, answer: { found } });
      },
    };
  }

  #list(asked: Asked): Pending {
    const filter = filters[this.#pick(4)]!;
    const freshness = this.#freshness();
    const size = this.#pick(3);
    return {
      effect: () => {
        const version = this.#revisionOf(asked, freshness);
        const items = this.#selected(filter, version);
        return (end) => {
          const chunks = size === 0 ? [items] : Array.from({ length: Math.ceil(items.length / size) || 1 });
          const pages = chunks.map((_none, at) => ({
            call: at === 0 ? asked.call : this.#now(),
            end: at === 0 ? end : this.#now(),
            version,
            items: size === 0 ? items : items.slice(at * size, (at + 1) * size),
            continues: at < chunks.length - 1,
          }));
          this.#lists.push({ ...asked, filter, freshness, pages });
        };
      },
    };
  }

  #selected({ prefix, exactKey, labels }: Filter, version: number): State[] {
    return [...this.#states[version]!.values()]
      .filter(({ key }) => (exactKey ? key === prefix : key.startsWith(prefix)))
      .filter((state) => labels === undefined || labels['color'] === state.labels['color'])
      .sort((a, b) => a.key.localeCompare(b.key));
  }

  #freshness(): Freshness {
    const dice = this.#pick(6);
    const revision = this.#pick(this.#head() + 1);
    if (dice < 3) return { kind: 'mostRecent' };
    return dice === 3 ? { kind: 'any' } : { kind: dice === 4 ? 'exact' : 'notOlderThan', revision };
  }

  /** The revision that a read is served at; the view of its replica follows. */
  #revisionOf({ replica }: Asked, freshness: Freshness): number {
    if (freshness.kind === 'exact') return freshness.revision;
    const index = Number(replica.slice(1));
    const least =
      freshness.kind === 'mostRecent' ? this.#head() : freshness.kind === 'any' ? 0 : freshness.revision;
    return (this.#views[index] = Math.max(this.#views[index]!, least));
  }

  #follow(index: number): void {
    const view = this.#views[index]!;
    this.#views[index] = view + this.#pick(this.#head() - view + 1);
  }

  #startWatch(before: WatchRecord | undefined): void {
    const asked = this.#asked();
    const filter = before?.filter ?? filters[this.#pick(filters.length)]!;
    if (before) {
      const version = before.events.at(-1)?.version ?? startOf(before);
      this.#open.push({ record: { ...asked, ...common(before, version) }, position: version });
      return;
    }
    const freshness: Freshness = this.#pick(2) === 0 ? { kind: 'mostRecent' } : { kind: 'any' };
    const version = this.#revisionOf(asked, freshness);
    const isTold = this.#pick(3) > 0;
    const initial = {
      at: this.#now(),
      version: isTold ? version : undefined,
      items: this.#selected(filter, version),
    };
    const start = { kind: 'state', freshness } as const;
    this.#open.push({
      record: { ...asked, filter, start, bookmarks: true, initial, events: [] },
      position: version,
    });
  }

  #moveWatch(watch: OpenWatch): void {
    const dice = this.#pick(10);
    if (dice < 7) this.#deliver(watch, watch.position + this.#pick(this.#head() - watch.position + 1));
    else if (dice < 9) {
      watch.record.events.push({ at: this.#now(), type: 'BOOKMARK', version: watch.position });
    } else {
      this.#open.splice(this.#open.indexOf(watch), 1);
      const ended = this.#end(watch, this.#pick(2) === 0 ? 'ended' : 'broken');
      if (ended.events.length > 0 || ended.initial?.version !== undefined || ended.start.kind === 'after')
        this.#startWatch(ended);
    }
  }

  #deliver(watch: OpenWatch, upTo: number): void {
    const { filter, events } = watch.record;
    for (; watch.position < upTo; watch.position += 1) {
      const before = this.#selected(filter, watch.position);
      const after = this.#selected(filter, watch.position + 1);
      const version = watch.position + 1;
      for (const state of after) {
        const old = before.find(({ key }) => key === state.key);
        if (old?.version === state.version) continue;
        events.push({ at: this.#now(), type: old ? 'MODIFIED' : 'ADDED', ...state });
      }
      for (const old of before) {
        if (!after.some(({ key }) => key === old.key))
          events.push({ at: this.#now(), type: 'DELETED', ...old, version });
      }
    }
  }

  #end({ record }: OpenWatch, reason: 'ended' | 'broken' | 'closed'): WatchRecord {
    const ended = { ...record, ending: { at: this.#now(), reason } };
    this.#watches.push(ended);
    return ended;
  }

  #asked(): Asked {
    this.#ids += 1;
    const client = `c${String(this.#pick(3))}`;
    const replica = `r${String(this.#pick(this.#views.length))}`;
    return { id: `#${String(this.#ids)}`, client, replica, collection, call: this.#now() };
  }

  #now(): number {
    return (this.#clock += 1);
  }

  #head(): number {
    return this.#states.length - 1;
  }
}

type Asked = Pick<WatchRecord, 'id' | 'client' | 'replica' | 'collection' | 'call'>;

function startOf({ start, initial }: WatchRecord): number {
  return start.kind === 'after' ? start.version : (initial?.version ?? 0);
}

function common(
  { filter, id }: WatchRecord,
  version: number,
): Pick<WatchRecord, 'filter' | 'start' | 'bookmarks' | 'continues'> & { events: WatchedEvent[] } {
  return { filter, start: { kind: 'after', version }, bookmarks: true, events: [], continues: id };
}
