/** Definitions that are many or large: read in slices, and kept in memory only as far as they are used. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { loadCatalogueSchemas } from '../../../src/api/schemas.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import type { ApiContext, EmulatedRelease } from '../../../src/api/types.ts';
import { parseInSlices } from '../../../src/codec/sliced-json.ts';
import { GrownWrite } from '../../../src/meta/grown-write.ts';
import { asApiObject } from '../../../src/meta/object.ts';
import { encodeStored } from '../../../src/codec/stored.ts';
import { CustomVersion } from '../../../src/extension/custom-resources/custom-version.ts';
import type { SchemaSource } from '../../../src/extension/custom-resources/definition-head.ts';
import { definitionOf } from '../../../src/extension/custom-resources/definition.ts';
import { CompiledSchema, CompiledSchemas } from '../../../src/extension/custom-resources/compiled-schemas.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import type { ServedResource } from '../../../src/registry/types.ts';
import type { Entry } from '../../../src/storage/types.ts';
import { cpuBudget, cpuMsOf, leastOfThree } from '../../support/cpu-time.ts';
import { turnsOf } from '../../support/turns.ts';
import { Definitions, definition } from '../../support/viewed-definitions.ts';

const naming = namingProfiles.orch;
const schemas = loadCatalogueSchemas(naming);
const metadata = schemas.get('meta/v1.ObjectMeta');
const { signal } = new AbortController();

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function heapBytes(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

/** About 350 fields, 51 KB of text. */
function middleSized(n: number): JsonObject {
  const about = `What it is for in kind ${String(n)}, in as many words as definitions of real projects have for it.`;
  return { type: 'object', properties: fields(350, { type: 'string', description: about, maxLength: 10 }) };
}

function fields(count: number, schema: JsonObject): JsonObject {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`field${String(i)}`, schema]));
}

const objectOf = (names: number) => ({ type: 'object', properties: fields(names, { type: 'string' }) });
const wide = objectOf(15_000);
const enumerated = {
  type: 'object',
  properties: {
    word: { type: 'string', enum: Array.from({ length: 50_000 }, (_, i) => `value${String(i)}`) },
  },
};

/** Uses a resource as a write does. */
function use(resource: ServedResource | undefined, spec: JsonObject): JsonObject | undefined {
  if (!resource) return undefined;
  const { kind } = resource.gvk;
  const body = { apiVersion: 'example.com/v1', kind, metadata: { name: 'a' }, spec };
  const { value } = resource.structure(body);
  resource.applyDefaults(value, {} as Parameters<ServedResource['applyDefaults']>[1]);
  expect(resource.schema.fields.get('spec')?.schema.type).toBe('struct');
  return value['spec'] as JsonObject;
}

/** 90,000 fields in ten objects, 2.5 MB of text. */
const spread = { type: 'object', properties: fields(10, objectOf(9_000)) };

test('90,000 fields are read, and made ready for use, in short turns', async () => {
  const bytes = encodeStored(definition(0, spread));
  const longest = await leastOfThree(async () => {
    const all = new Definitions();
    const [most = Infinity] = await turnsOf(async () => {
      all.put(definition(0, {}), bytes);
      await (await all.catalogue.fresh(signal)).resource('example.com', 'v1', 'things0')?.prepare?.();
    });
    return most;
  });
  expect(longest).toBeLessThan(cpuBudget(20));
});

test.each([
  ['15,000 fields', [wide]],
  ['50,000 values of an enumeration', [enumerated]],
  ['300 definitions', Array.from({ length: 300 }, (_, n) => middleSized(n))],
])('%s are read in short turns', async (_, specs) => {
  const turns = await turnsOf(async () => {
    const all = new Definitions(...specs.map((spec, n) => definition(n, spec)));
    expect(all.resource(specs.length - 1)).toBeUndefined();
    await all.catalogue.loaded;
    expect(all.resource(specs.length - 1)).toBeDefined();
  });
  expect(turns.length).toBeGreaterThan(2);
  // The longest ones may have a garbage collection in them.
  expect(turns[2]).toBeLessThan(cpuBudget(25));
});

/** Milliseconds of the longest turn in which the first object of a kind with 15,000 fields is written. */
async function firstUse(isPrepared: boolean): Promise<number> {
  const all = new Definitions(definition(0, wide));
  await all.catalogue.loaded;
  const [longest = Infinity] = await turnsOf(async () => {
    if (isPrepared) await all.resource(0)?.prepare?.();
    expect(use(all.resource(0), { field7: 'a', other: 'b' })).toEqual({ field7: 'a' });
  });
  return longest;
}

test('an object of a kind with 15,000 fields takes a moment, its first one, too', async () => {
  const inTurns = await leastOfThree(() => firstUse(true));
  expect(inTurns).toBeLessThan(cpuBudget(20));
  // Half as long at rest.
  expect(inTurns).toBeLessThan(0.8 * (await leastOfThree(() => firstUse(false))));
});

describe('a version with 15,000 fields', () => {
  const text = Buffer.from(JSON.stringify({ type: 'object', properties: { spec: wide } }));
  const read = () => JSON.parse(text.toString()) as JsonObject;
  const ruled = { ...read(), [`${naming.extensionPrefix}validations`]: [{ rule: 'has(self.spec)' }] };

  function version(schema: () => JsonObject): CustomVersion {
    const source: SchemaSource = {
      ...{ digest: '', weight: text.length, readWeight: text.length, read: schema },
      readInSlices: (breathe) =>
        parseInSlices(Buffer.from(JSON.stringify(schema())), { breathe }) as Promise<JsonObject>,
    };
    const release = { major: 1, minor: 35 } as EmulatedRelease;
    return new CustomVersion({
      version: { name: 'v1' },
      source,
      prefix: naming.extensionPrefix,
      metadata,
      isFree: false,
      release,
      isFeatureEnabled: () => true,
    });
  }

  test('that is prepared judges an object in short turns', async () => {
    const longestMs = await leastOfThree(async () => {
      const made = version(read);
      await made.prepare();
      const { value } = made.structure({
        apiVersion: 'a/v1',
        kind: 'A',
        metadata: {},
        spec: { field7: 'a' },
      });
      return cpuMsOf(() => {
        made.applyDefaults(value);
        expect(made.validate(asApiObject(value))).toEqual([]);
        expect(made.ruleErrors(asApiObject(value), { others: [] })).toEqual([]);
      });
    });
    expect(longestMs).toBeLessThan(cpuBudget(8));
  });

  test('is judged by its rules where that may take long', async () => {
    const made = version(() => ruled);
    await made.prepare();
    const noteLongWork = jest.fn(() => {
      throw new GrownWrite();
    });
    const context = { noteLongWork } as unknown as ApiContext;
    expect(() => made.ruleErrors(asApiObject({}), { others: [], context })).toThrow(GrownWrite);
    expect(await made.ruleErrors(asApiObject({}), { others: [] })).toHaveLength(1);
  });
});

test('small definitions are served at once; a large one is as it was until it is read', async () => {
  const all = new Definitions();
  const small = { type: 'object', properties: { size: { type: 'integer' } } };
  all.put(definition(0, small));
  expect(use(all.resource(0), { size: 1, field1: 'a' })).toEqual({ size: 1 });
  all.put(definition(0, wide));
  expect(use(all.resource(0), { size: 1, field1: 'a' })).toEqual({ size: 1 });
  const fresh = await all.catalogue.fresh(signal);
  const resource = fresh.resource('example.com', 'v1', 'things0');
  expect(use(resource, { size: 1, field1: 'a' })).toEqual({ field1: 'a' });
  expect(all.catalogue.definitionsIn('example.com')).toHaveLength(1);
  all.put(definition(1, enumerated));
  all.remove('things0.example.com');
  expect([all.resource(0), all.resource(1)]).toEqual([undefined, undefined]);
  await all.catalogue.fresh(signal);
  expect(use(all.resource(1), { word: 'value1' })).toEqual({ word: 'value1' });
});

test('a read of what is newest goes over all definitions only if one has changed, and a change does so once', async () => {
  const all = new Definitions(...Array.from({ length: 20 }, (_, n) => definition(n, {})));
  await all.catalogue.loaded;
  const looks = all.looks;
  for (let i = 0; i < 10; i += 1) await all.catalogue.fresh(signal);
  expect(all.looks).toBe(looks);
  all.put(definition(20, {}));
  for (let i = 0; i < 10; i += 1) await all.catalogue.fresh(signal);
  expect(all.looks).toBe(looks + 1);
  expect(all.resource(20)).toBeDefined();
});

test('a large definition that cannot be read is not served, and others are', async () => {
  const all = new Definitions(definition(0, wide));
  all.put(definition(1, {}), Buffer.from(`{"metadata":${' '.repeat(300_000)}`));
  await all.catalogue.loaded;
  expect(all.resource(0)).toBeDefined();
  expect(all.resource(1)).toBeUndefined();
  expect(all.logged).toHaveLength(1);
});

test('definitions that are used in turn take the memory of some of them', async () => {
  const count = 400;
  const all = new Definitions(...Array.from({ length: count }, (_, n) => definition(n, middleSized(n))));
  await all.catalogue.loaded;
  const before = heapBytes();
  for (let n = 0; n < count; n += 1)
    expect(use(all.resource(n), { field1: 'a', none: 1 })).toEqual({ field1: 'a' });
  expect(use(all.resource(0), { field1: 'a', none: 1 })).toEqual({ field1: 'a' });
  // All of them take 40 MB.
  expect(heapBytes() - before).toBeLessThan(28_000_000);
  expect(all.resource(0)).toBeDefined();
});

test('what clients note beside a definition is not kept: who owns its fields, and all of it in an annotation', async () => {
  const count = 200;
  const noted = Array.from({ length: count }, (_, n) => {
    const plain = definition(n, {});
    const applied = JSON.stringify(definition(n, middleSized(n)));
    const managedFields = [{ manager: 'a', fieldsV1: fields(100, { '.': {} }) }];
    const approved = { [`api-approved.${naming.labelDomain}`]: 'https://example.com', applied };
    Object.assign(plain['metadata'] as JsonObject, { annotations: approved, managedFields });
    return plain;
  });
  const all = new Definitions(...noted);
  const before = heapBytes();
  await all.catalogue.loaded;
  // An annotation is 50 KB, the fields are 15 KB.
  expect((heapBytes() - before) / count).toBeLessThan(12_000);
  const entry = all.catalogue.definition('things7.example.com');
  const { metadata } = definitionOf(entry as Entry);
  expect(metadata).toMatchObject({ name: 'things7.example.com', uid: '7', generation: 1 });
  expect(Object.keys(metadata.annotations ?? {})).toEqual([`api-approved.${naming.labelDomain}`]);
});

test('of a definition whose status has changed the former text is let go of', async () => {
  const all = new Definitions({ ...definition(0, middleSized(0)), status: {} });
  await all.catalogue.loaded;
  const former = new WeakRef(all.catalogue.definition('things0.example.com') ?? {});
  all.put(definition(0, middleSized(0)));
  expect(all.resource(0)).toBeDefined();
  // Until the turn ends, the reference holds what it refers to.
  await new Promise(setImmediate);
  collect();
  expect(former.deref()).toBeUndefined();
});

test('of definitions that were used and are gone nothing is kept', async () => {
  const all = new Definitions(...[0, 1].map((n) => definition(n, middleSized(n))));
  await all.catalogue.loaded;
  for (const n of [0, 1]) expect(use(all.resource(n), { field1: 'a', none: 1 })).toEqual({ field1: 'a' });
  const names = [0, 1].map((n) => `things${String(n)}.example.com`);
  const texts = names.map((name) => new WeakRef(all.catalogue.definition(name) ?? {}));
  for (const name of names) all.remove(name);
  expect([0, 1].map((n) => all.resource(n))).toEqual([undefined, undefined]);
  await new Promise(setImmediate);
  collect();
  expect(texts.map((text) => text.deref() === undefined)).toEqual([true, true]);
});

test('a label of a definition changes nothing, but where its schema is read', async () => {
  const all = new Definitions(definition(0, middleSized(0)));
  await all.catalogue.loaded;
  const resource = all.resource(0);
  const labelled = definition(0, middleSized(0));
  Object.assign(labelled['metadata'] as JsonObject, { labels: { a: 'b' } });
  all.put(labelled);
  expect(all.resource(0)).toBe(resource);
  expect(use(all.resource(0), { field3: 'a', none: 1 })).toEqual({ field3: 'a' });
});

describe('schemas that are kept', () => {
  const options = { prefix: naming.extensionPrefix, metadata, isFree: false };

  function keeper(most: number) {
    const kept = new CompiledSchemas(most);
    const made: string[] = [];
    const owners = new Map<string, object>();
    const ask = (name: string, weight: number): CompiledSchema => {
      const owner = owners.get(name) ?? {};
      owners.set(name, owner);
      return kept.of(owner, weight, () => {
        made.push(name);
        return new CompiledSchema({}, options);
      });
    };
    return { kept, made, ask };
  }

  test('are those used last, within the limit', () => {
    const { kept, made, ask } = keeper(10);
    for (const name of ['a', 'b', 'a', 'c', 'a', 'b']) ask(name, 4);
    expect(made).toEqual(['a', 'b', 'c', 'b']);
    expect(kept.weight).toBe(8);
  });

  test('one that is larger than the limit is kept while it is used', () => {
    const { kept, made, ask } = keeper(10);
    expect(ask('big', 50)).toBe(ask('big', 50));
    ask('a', 4);
    expect([made, kept.weight]).toEqual([['big', 'a'], 4]);
  });
});
