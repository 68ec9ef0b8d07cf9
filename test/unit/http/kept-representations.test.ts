/** What is kept of representations never shows: answers are byte for byte those of a server that keeps nothing. */
import * as fc from 'fast-check';

import { column } from '../../../src/api/columns/columns.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { systemEnvironment } from '../../../src/base/environment.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import type { RequestContext } from '../../../src/http/request-context.ts';
import { Representations } from '../../../src/http/representation/negotiation.ts';
import type { Representation, SlicedBody } from '../../../src/http/representation/types.ts';
import { createWireTypes } from '../../../src/http/wire-types.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { Metrics } from '../../../src/observe/metrics.ts';
import { createServerMetrics } from '../../../src/observe/server-metrics.ts';
import type { ListResult, ServedResource, WatchItem } from '../../../src/registry/types.ts';
import type { Entry } from '../../../src/storage/types.ts';
import { realCatalogue } from '../../support/catalogue.ts';
import { entryOf } from '../../support/http/fake-verbs.ts';

const naming = namingProfiles.orch;
const { catalogue, schemas } = realCatalogue(naming);
const types = createWireTypes(() => catalogue, schemas);

const forms: readonly (readonly [accept: string, includeObject?: string])[] = [
  ['application/json;as=Table;g=meta.orch.io;v=v1'],
  ['application/json;as=Table;g=meta.orch.io;v=v1', 'None'],
  ['application/json;as=Table;g=meta.orch.io;v=v1beta1', 'Object'],
  ['application/json;as=PartialObjectMetadataList;g=meta.orch.io;v=v1'],
  ['application/json'],
  ['application/vnd.orch.protobuf'],
  ['application/vnd.orch.protobuf;as=PartialObjectMetadataList;g=meta.orch.io;v=v1beta1'],
];

/** Both versions of a kind, of which one is stored. */
function cronJobs(version: string): ServedResource {
  const resource = catalogue.resource('batch', version, 'cronjobs');
  if (!resource) throw new Error('no cron jobs');
  return resource;
}

/** The resource after its definition has changed: other columns. */
function redefined(resource: ServedResource, columns: number): ServedResource {
  const own = Array.from({ length: columns }, (_, i) =>
    column(`C${i}`, ({ metadata }) => `${i} ${metadata.name}`),
  );
  const { definition } = resource;
  return { ...resource, definition: { ...definition, columns: [...definition.columns, ...own] } };
}

function contextOf(form: number, isPretty = false): RequestContext {
  const [accept = '', include = ''] = forms[form] ?? [];
  const query: Record<string, string> = { includeObject: include, pretty: String(isPretty) };
  return {
    query: { text: '?', get: (name: string) => query[name] ?? '', has: (name: string) => name in query },
    header: (name: string) => (name === 'accept' ? accept : ''),
    phase: { types },
  } as unknown as RequestContext;
}

function cronJob(name: string, text: string, ageSeconds: number): JsonObject {
  const at = (seconds: number): string => new Date(epoch - seconds * 1000).toISOString();
  return {
    kind: 'CronJob',
    apiVersion: 'batch/v1',
    metadata: {
      ...{ labels: { text }, name, namespace: 'x', creationTimestamp: at(ageSeconds) },
      managedFields: [{ manager: text, operation: 'Update' }],
    },
    spec: { schedule: `${text} * * * *`, jobTemplate: { spec: { template: { spec: { containers: [] } } } } },
    status: ageSeconds % 2 === 0 ? {} : { lastScheduleTime: at(ageSeconds / 2) },
  };
}

const epoch = Date.parse('2021-06-01T12:00:00Z');

function makeRoom(cacheBytes: number, now: () => Date): Representations {
  return new Representations({
    ...systemEnvironment,
    clock: { ...systemClock, now: () => now().getTime() },
    ...{ metrics: createServerMetrics(new Metrics()), cacheBytes },
  });
}

interface OpenList {
  readonly slices: Iterator<Buffer>;
  readonly got: Buffer[];
  readonly expected: Buffer;
}

/** False when there is no more. */
function takeSlice({ slices, got }: OpenList): boolean {
  const next = slices.next();
  if (next.done === true) return false;
  got.push(Buffer.from(next.value));
  return true;
}

/** A server that keeps much, little or nothing, beside one that keeps nothing. */
class World {
  readonly kept: Representations;
  private readonly fresh: Representations;
  private readonly budget: number;
  private readonly objects = new Map<string, Entry>();
  private resources: readonly ServedResource[] = [cronJobs('v1'), cronJobs('v1beta1')];
  private revision = 1;
  private time = epoch;
  private readonly open: OpenList[] = [];

  constructor(budget: number) {
    const now = (): Date => new Date(this.time);
    this.budget = budget;
    this.kept = makeRoom(budget, now);
    this.fresh = makeRoom(0, now);
  }

  change(name: string, text: string, ageSeconds: number): void {
    this.revision += 1;
    const entry = entryOf(cronJob(name, text, ageSeconds), `x/${name}`, this.revision);
    this.objects.set(name, entry);
  }

  remove(name: string): void {
    this.objects.delete(name);
  }

  define(version: number, columns: number): void {
    this.resources = this.resources.map((r, i) => (i === version ? redefined(r, columns) : r));
  }

  /** Lists that have begun end before the time goes on: they tell ages when they write them. */
  pass(seconds: number): void {
    for (const list of this.open.splice(0)) this.finish(list);
    this.time += seconds * 1000;
  }

  begin(version: number, form: number): void {
    const entries = [...this.objects.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
    const result = { revision: this.revision, entries, continue: '', remainingItemCount: undefined };
    const { kept, fresh } = this.both(version, form);
    const slices = madeHere(kept.list(result))[Symbol.iterator]();
    this.open.push({ slices, got: [], expected: bytesOf(fresh.list(result)) });
  }

  /** Some more of a list that has begun, as a client takes it. */
  proceed(count: number): void {
    const [list] = this.open;
    for (let i = 0; list && i < count; i += 1) {
      if (takeSlice(list)) continue;
      this.open.shift();
      expect(Buffer.concat(list.got).equals(list.expected)).toBe(true);
      return;
    }
  }

  /** An object by itself, and as watches are told of it. */
  show(version: number, form: number, name: string, type: WatchItem['type']): void {
    const event = this.objects.get(name);
    if (!event) return;
    const { kept, fresh } = this.both(version, form);
    expect(kept.object(event).equals(fresh.object(event))).toBe(true);
    const frame = kept.frame({ type, event });
    expect(frame.equals(fresh.frame({ type, event }))).toBe(true);
  }

  check(): void {
    expect(this.kept.cacheBytes).toBeLessThanOrEqual(this.budget);
    expect(this.fresh.cacheBytes).toBe(0);
  }

  end(): void {
    for (const list of this.open.splice(0)) this.finish(list);
  }

  private finish(list: OpenList): void {
    while (takeSlice(list));
    expect(Buffer.concat(list.got).equals(list.expected)).toBe(true);
  }

  private both(version: number, form: number): { kept: Representation; fresh: Representation } {
    const resource = this.resources[version] ?? cronJobs('v1');
    const context = contextOf(form);
    return { kept: this.kept.of(context, resource, 'list'), fresh: this.fresh.of(context, resource, 'list') };
  }
}

/** The slices of a list of small objects, of which none comes from another thread. */
function* madeHere({ slices }: SlicedBody): Iterable<Buffer> {
  for (const slice of slices) {
    if (slice instanceof Promise) throw new Error('a small object is made elsewhere');
    yield slice;
  }
}

function bytesOf(body: SlicedBody): Buffer {
  const copies: Buffer[] = [];
  for (const slice of madeHere(body)) {
    copies.push(Buffer.from(slice));
    body.release?.(slice);
  }
  return Buffer.concat(copies);
}

const nameOf = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const version = fc.constantFrom(0, 1);
const form = fc.nat({ max: forms.length - 1 });
const type = fc.constantFrom('ADDED', 'MODIFIED', 'DELETED');

const step: fc.Arbitrary<(world: World) => void> = fc.oneof(
  fc.tuple(nameOf, fc.string({ unit: 'grapheme', maxLength: 300 }), fc.nat({ max: 1_000_000 })).map(
    ([name, text, age]) =>
      (w: World) =>
        w.change(name, text, age),
  ),
  nameOf.map((name) => (w: World) => w.remove(name)),
  fc.tuple(version, fc.nat({ max: 3 })).map(
    ([v, n]) =>
      (w: World) =>
        w.define(v, n),
  ),
  fc.nat({ max: 100_000 }).map((seconds) => (w: World) => w.pass(seconds)),
  fc.tuple(version, form).map(
    ([v, f]) =>
      (w: World) =>
        w.begin(v, f),
  ),
  fc.tuple(version, form).map(
    ([v, f]) =>
      (w: World) =>
        w.begin(v, f),
  ),
  fc.integer({ min: 1, max: 3 }).map((count) => (w: World) => w.proceed(count)),
  fc.tuple(version, form, nameOf, type, fc.nat({ max: 3_000 })).map(([v, f, n, t, seconds]) => (w: World) => {
    w.show(v, f, n, t);
    w.pass(seconds);
    w.show(v, f, n, t);
  }),
);

test('lists, objects and frames are those of a server that keeps nothing, and the budget holds', () => {
  const budgets = fc.constantFrom(0, 3_000, 12_000, 100_000_000);
  fc.assert(
    fc.property(budgets, fc.array(step, { maxLength: 60 }), (budget, steps) => {
      const world = new World(budget);
      for (const name of ['a', 'b', 'c', 'd', 'e']) world.change(name, name, 100);
      for (const act of steps) {
        act(world);
        world.check();
      }
      world.end();
    }),
    { numRuns: 150 },
  );
});

function listOf(count: number, revision = 1): ListResult & { readonly entries: readonly Entry[] } {
  const entries = Array.from({ length: count }, (_, i) =>
    entryOf(cronJob(`n${i}`, 'é'.repeat(i % 50), i), `x/n${i}`, revision + i),
  );
  return { revision: revision + count, entries, continue: 'c', remainingItemCount: 3 };
}

test.each(forms.filter(([accept]) => accept.startsWith('application/json')).map((_form, i) => i))(
  'form %d says the same as for people',
  (index) => {
    const room = makeRoom(1e8, () => new Date(epoch));
    for (const resource of [cronJobs('v1'), cronJobs('v1beta1')]) {
      const list = listOf(40);
      const text = (isPretty: boolean): unknown =>
        JSON.parse(bytesOf(room.of(contextOf(index, isPretty), resource, 'list').list(list)).toString());
      expect(text(false)).toEqual(text(true));
    }
  },
);

test.each([
  ['None', 1],
  ['x'.repeat(50_000), 2],
])('the form of a request is remembered unless that is long', (include, negotiations) => {
  const room = makeRoom(1e6, () => new Date(epoch));
  let asked = 0;
  const get = (name: string): string => {
    if (name === 'includeObject') asked += 1;
    return { includeObject: include, pretty: 'false' }[name] ?? '';
  };
  const context = contextOf(4);
  Object.assign(context.query, { get });
  const first = room.of(context, cronJobs('v1'), 'list');
  const before = asked;
  expect(room.of(context, cronJobs('v1'), 'list')).toBe(first);
  expect(asked - before).toBe(negotiations);
});

describe('what is kept', () => {
  const protobuf = contextOf(5);
  const made = async (metrics: Metrics): Promise<number> =>
    Number(/^apiserver_representations_made_total (\d+)$/m.exec(await metrics.text())?.[1]);

  test('is made once for each revision, and goes with it', async () => {
    const metrics = new Metrics();
    const room = new Representations({ ...systemEnvironment, metrics: createServerMetrics(metrics) });
    const representation = room.of(protobuf, cronJobs('v1'), 'list');
    const list = listOf(100);
    bytesOf(representation.list(list));
    expect(await made(metrics)).toBe(100);
    const size = room.cacheBytes;
    bytesOf(representation.list(list));
    expect(await made(metrics)).toBe(100);
    const changed = listOf(100, 1_000);
    const entries = list.entries.map((entry, i) => (i < 5 ? (changed.entries[i] ?? entry) : entry));
    bytesOf(representation.list({ ...list, entries }));
    expect(await made(metrics)).toBe(105);
    expect(Math.abs(room.cacheBytes - size)).toBeLessThan(100);
    // Of a state from before the change nothing is kept: it would displace what is asked for.
    bytesOf(representation.list(list));
    bytesOf(representation.list({ ...list, entries }));
    expect(room.cacheBytes).toBeLessThan(size + 100);
    expect(entries.every(({ memo }) => memo?.size === 1)).toBe(true);
  });

  test('goes when the service ends: another replica may hold the same entries', () => {
    const room = makeRoom(1e9, () => new Date(epoch));
    const list = listOf(100);
    bytesOf(room.of(protobuf, cronJobs('v1'), 'list').list(list));
    expect(list.entries.every(({ memo }) => memo?.size === 1)).toBe(true);
    room.close();
    expect(room.cacheBytes).toBe(0);
    expect(list.entries.every(({ memo }) => memo?.size === 0)).toBe(true);
  });

  test('is still of use to lists that are larger than the budget', async () => {
    const all = new Representations({
      ...systemEnvironment,
      metrics: createServerMetrics(new Metrics()),
      cacheBytes: 1e9,
    });
    bytesOf(all.of(protobuf, cronJobs('v1'), 'list').list(listOf(500)));
    const metrics = new Metrics();
    const cacheBytes = Math.floor((all.cacheBytes * 0.8 * 4) / 3);
    const room = new Representations({
      ...systemEnvironment,
      metrics: createServerMetrics(metrics),
      cacheBytes,
    });
    const list = listOf(500);
    for (let round = 0; round < 10; round += 1) bytesOf(room.of(protobuf, cronJobs('v1'), 'list').list(list));
    expect(room.cacheBytes).toBeLessThanOrEqual(cacheBytes);
    // Each list in Protobuf asks for all twice. Were the oldest to go first, each would make 1,000.
    expect(await made(metrics)).toBeLessThan(5_000);
    expect(await metrics.text()).toMatch(/^apiserver_representations_evicted_total [1-9]/m);
  });
});
