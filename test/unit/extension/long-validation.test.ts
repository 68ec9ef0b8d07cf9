/** A short custom resource may take long to validate by a schema with many alternatives: it moves to a write thread. */
import { loadCatalogueSchemas } from '../../../src/api/schemas.ts';
import type { ApiContext } from '../../../src/api/types.ts';
import type { JsonObject } from '../../../src/base/json.ts';
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
