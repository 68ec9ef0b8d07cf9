/** A short custom resource may take long to validate by a schema with many alternatives: it moves to a write thread. */
import type { JSONSchemaProps } from '../../../src/api/apiextensions/v1.types.ts';
import { loadCatalogueSchemas } from '../../../src/api/schemas.ts';
import type { ApiContext } from '../../../src/api/types.ts';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { customScale } from '../../../src/extension/custom-resources/custom-scale.ts';
import { CustomVersion } from '../../../src/extension/custom-resources/custom-version.ts';
import { customStatus, customStrategy } from '../../../src/extension/custom-resources/strategy.ts';
import { GrownWrite } from '../../../src/meta/grown-write.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import type { ApiObject } from '../../../src/meta/object.ts';
import { cpuMsOf, leastOfThree } from '../../support/cpu-time.ts';

const naming = namingProfiles.orch;
const metadata = loadCatalogueSchemas(naming).get('meta/v1.ObjectMeta');

/** 2^depth alternatives, none of which fits. */
function alternatives(depth: number): JsonObject {
  if (depth === 0) return { required: ['absent'] };
  return { anyOf: [alternatives(depth - 1), alternatives(depth - 1)] };
}

const items = { type: 'object', 'x-orch-preserve-unknown-fields': true, ...alternatives(10) };
const spec = { type: 'object', properties: { list: { type: 'array', items } } };
const version = new CustomVersion({
  ...{ prefix: naming.extensionPrefix, metadata, isFree: false },
  version: {
    ...{ name: 'v1', served: true, storage: true },
    schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
  },
});
const strategy = customStrategy(version, false);
const scale = customScale(version, { specReplicasPath: '.spec.a', statusReplicasPath: '.status.a' });

function withItems(length: number): ApiObject {
  const list = Array.from({ length }, () => ({}));
  return { kind: 'Cup', apiVersion: 'example.com/v1', metadata: { name: 'a' }, spec: { list } };
}

function moving(): ApiContext {
  const noteLongWork = (): never => {
    throw new GrownWrite();
  };
  return { noteLongWork } as unknown as ApiContext;
}

type Validation = (object: ApiObject, context: ApiContext) => unknown;

const leastMs = (act: () => unknown): Promise<number> =>
  leastOfThree(async () => Promise.resolve(cpuMsOf(act)));

/** What validation of so many takes where it goes on. */
let outright: number;

beforeAll(async () => {
  outright = await leastMs(() => strategy.validate?.(withItems(100), {} as ApiContext));
});

test.each<[string, Validation | undefined]>([
  ['create', strategy.validate],
  ['update', (object, context) => strategy.validateUpdate?.(object, withItems(0), context)],
  ['status', (object, context) => customStatus(version).validateUpdate?.(object, withItems(0), context)],
  ['scale', (object, context) => scale.validateUpdate?.(object, withItems(0), context)],
])('%s moves before it takes long, and only then', async (_what, validate) => {
  validate?.(withItems(1), moving());
  const moves = await leastMs(() => expect(() => validate?.(withItems(100), moving())).toThrow(GrownWrite));
  expect(moves).toBeLessThan(outright / 5);
  expect(validate?.(withItems(5), moving())).toHaveLength(5);
});

test('where it cannot move, it goes on', () => {
  expect(strategy.validate?.(withItems(30), {} as ApiContext)).toHaveLength(30);
});

describe('lists that take long to be looked through for what is there twice', () => {
  const typed = (type: string, of: JsonObject): JsonObject => ({
    type: 'array',
    'x-orch-list-type': type,
    ...of,
  });
  const names = Array.from({ length: 200 }, (_, i) => `k${String(i)}`);
  const members = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
  const keyed = typed('map', {
    'x-orch-list-map-keys': names,
    items: { type: 'object', required: names, properties: members },
  });
  /** Each set reads all that is in its items. */
  const sets = Array.from({ length: 100 }).reduce<JsonObject>(
    (inner) => typed('set', { items: { type: 'array', items: inner } }),
    typed('atomic', { items: { type: 'integer' } }),
  );
  const listed = customStrategy(
    new CustomVersion({
      ...{ prefix: naming.extensionPrefix, metadata, isFree: false },
      version: {
        ...{ name: 'v1', served: true, storage: true },
        schema: { openAPIV3Schema: { type: 'object', properties: { keyed, sets } } as JSONSchemaProps },
      },
    }),
    false,
  );
  const withLists = (lists: JsonObject): ApiObject => ({ ...withItems(0), ...lists });
  const nested = (length: number): JsonValue =>
    Array.from({ length: 100 }).reduce<JsonValue>(
      (inner) => [[inner]],
      Array.from({ length }, (_, i) => i),
    );

  test.each<[string, JsonObject, JsonObject, number]>([
    [
      'keys of items',
      { keyed: Array.from({ length: 1_000 }, () => ({})) },
      { keyed: Array.from({ length: 10 }, () => ({})) },
      1_000,
    ],
    ['sets in sets', { sets: nested(5_000) }, { sets: nested(10) }, 0],
  ])('%s: such a write moves', (_what, long, short, errors) => {
    for (const before of [undefined, withItems(0)]) {
      const validate = (lists: JsonObject, context: ApiContext) =>
        before
          ? listed.validateUpdate?.(withLists(lists), before, context)
          : listed.validate?.(withLists(lists), context);
      expect(() => validate(long, moving())).toThrow(GrownWrite);
      if (before === undefined) expect(validate(long, {} as ApiContext)).toHaveLength(errors);
    }
    expect(() => listed.validate?.(withLists(short), moving())).not.toThrow();
  });

  test('what takes too long where it cannot move is refused', () => {
    const found = listed.validate?.(withLists({ sets: nested(30_000) }), {} as ApiContext) ?? [];
    expect(found.map(({ message }) => message)).toEqual([
      expect.stringMatching(/takes more than 2000000 steps/),
    ]);
  });
});
