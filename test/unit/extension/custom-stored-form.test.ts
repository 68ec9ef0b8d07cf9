/** Stored custom resources in the version of a request: large ones are converted in steps, each in a turn of its own. */
import { performance } from 'node:perf_hooks';
import { loadCatalogueSchemas } from '../../../src/api/schemas.ts';
import { useEventLoop } from '../../../src/base/event-loop.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { systemRandom } from '../../../src/base/random.ts';
import { encodeStored } from '../../../src/codec/stored.ts';
import { CustomVersion } from '../../../src/extension/custom-resources/custom-version.ts';
import { StoredForm } from '../../../src/extension/custom-resources/custom-stored-form.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { NumberSeries } from '../../../src/observe/metric-series.ts';
import { EntryCache } from '../../../src/registry/entry-cache.ts';
import { newEntry } from '../../../src/registry/written-entry.ts';
import type { Entry } from '../../../src/storage/types.ts';

const naming = namingProfiles.orch;
const metadata = loadCatalogueSchemas(naming).get('meta/v1.ObjectMeta');

/** Turns of the event loop in which a step over an object was taken. */
const turns: number[] = [];

/** A version whose steps over an object take longer than a slice, as those over a megabyte do. */
class SlowVersion extends CustomVersion {
  override shown(object: JsonObject): JsonObject {
    slowStep();
    return super.shown(object);
  }

  override *defaultsInSteps(object: JsonObject): Generator<void, boolean, void> {
    slowStep();
    return yield* super.defaultsInSteps(object);
  }
}

function slowStep(): void {
  turns.push(performance.nodeTiming.uvMetricsInfo.loopCount);
  const end = performance.now() + 6;
  while (performance.now() < end);
}

/** What takes part in a list: with defaults, an object becomes much larger than its text. */
const part = {
  type: 'object',
  properties: { a: { type: 'integer', default: 1 }, b: { type: 'array', default: Array(20).fill(1) } },
};

function version(name: string, Kind: typeof CustomVersion = SlowVersion): CustomVersion {
  const spec = {
    type: 'object',
    properties: {
      ...{ text: { type: 'string' }, size: { type: 'integer', default: 1 } },
      parts: { type: 'array', items: part },
    },
  };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  const parts = { prefix: naming.extensionPrefix, metadata, isFree: false };
  return new Kind({ ...parts, version: { name, served: true, storage: name === 'v1', schema } });
}

function formOf(group: string, Kind?: typeof CustomVersion): StoredForm {
  const [stored, other] = [version('v1', Kind), version('v2', Kind)];
  const cells = { made: new NumberSeries(), evicted: new NumberSeries(), size: new NumberSeries() };
  const kept = new EntryCache(16 * 1024 * 1024, cells, systemRandom);
  const versions = [stored, other];
  return new StoredForm({
    group,
    versions,
    stored,
    version: other,
    webhook: undefined,
    kept,
    isPlain: false,
  });
}

function entry(group: string, name: string, spec: JsonObject = { text: 'x'.repeat(300_000) }): Entry {
  const object = { kind: 'Thing', apiVersion: `${group}/v1`, metadata: { name } };
  const bytes = encodeStored({ ...object, spec });
  return newEntry(`${group}/things`, `default/${name}`, bytes, 7);
}

test('many requests for large objects share the time of the thread', async () => {
  const { signal } = new AbortController();
  const wanted = ['a.test', 'b.test', 'c.test'].map((group) => {
    const entries = ['1', '2'].map((name) => entry(group, name));
    return formOf(group).decode(entries, signal);
  });
  const shown = (await Promise.all(wanted)).flat();
  const objects = shown.map(({ bytes }) => JSON.parse(bytes.toString()) as JsonObject);
  expect(objects.map(({ apiVersion }) => apiVersion)).toEqual(
    ['a', 'a', 'b', 'b', 'c', 'c'].map((group) => `${group}.test/v2`),
  );
  expect(objects.map(({ spec }) => (spec as JsonObject)['size'])).toEqual(Array(6).fill(1));
  expect(turns).toHaveLength(12);
  expect(new Set(turns).size).toBe(12);
});

/** Looks at a clock which each finds 10 µs further on, from a time behind that of the test above. */
let looks = 0;

test.each([
  ['a large object', 50_000, { a: 2, b: [] }],
  ['an object that defaults make large', 20_000, {}],
])('%s is defaulted, pruned and written in slices', async (_what, count, sent) => {
  const large = entry('a.test', 'large', { parts: Array.from({ length: count }, () => sent) });
  const { signal } = new AbortController();
  const form = formOf('a.test', CustomVersion);
  const before = looks;
  let turnsTaken = 0;
  useEventLoop({
    now: () => performance.timeOrigin + (looks += 1) / 100,
    nextTurn: (go) => void ((turnsTaken += 1), setImmediate(go)),
  });
  let shown: readonly Entry[];
  try {
    shown = await form.decode([large], signal);
  } finally {
    useEventLoop(undefined);
  }
  const { spec, apiVersion } = JSON.parse(shown[0]?.bytes.toString() ?? '') as Record<string, JsonObject>;
  expect(apiVersion).toBe('a.test/v2');
  const parts = spec?.['parts'] as readonly JsonObject[];
  expect(parts).toHaveLength(count);
  expect(parts.at(-1)).toEqual({ a: 1, b: Array(20).fill(1), ...sent });
  // Every few parts, as they get their defaults, as they are pruned, and as they are written.
  expect(looks - before).toBeGreaterThan(count / 20);
  expect(turnsTaken).toBeGreaterThan(count / 20 / 310);
});

test.each<[string, (members: JsonObject) => JsonObject]>([
  ['the object', (members) => members],
  ['a member', (members) => ({ spec: members })],
])('members of %s that nothing describes are kept, or go, a few at a time', (_where, around) => {
  const free = { type: 'object', 'x-orch-preserve-unknown-fields': true };
  const names = Array.from({ length: 20_000 }, (_, i) => `name${String(i)}`);
  const members = around(Object.fromEntries(names.map((name) => [name, ''])));
  const rest = { ...members, metadata: { name: 'a' }, kind: 'Thing', apiVersion: 'x/v1' };
  for (const spec of [free, { type: 'object' }]) {
    const schema = { openAPIV3Schema: { ...spec, properties: { spec, metadata: { type: 'object' } } } };
    const parts = { prefix: naming.extensionPrefix, metadata, isFree: false };
    const made = new CustomVersion({
      ...parts,
      version: { name: 'v1', served: true, storage: true, schema },
    });
    const steps = made.shownInSteps(rest);
    let [taken, next] = [0, steps.next()];
    for (; next.done !== true; next = steps.next()) taken += 1;
    expect(taken).toBeGreaterThan(names.length / 300);
    expect(JSON.stringify(next.value)).toBe(JSON.stringify(made.shown(rest)));
  }
});
