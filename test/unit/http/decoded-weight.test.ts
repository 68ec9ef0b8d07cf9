/** Bodies of few bytes that make much: as objects of Protobuf and aliases of YAML do. They move to a write thread, if they may. */
import fc from 'fast-check';
import { isObject, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { encodeProtobuf } from '../../../src/codec/protobuf/codec.ts';
import { createWireTypes } from '../../../src/http/wire-types.ts';
import { memberBytes, weighsMore } from '../../../src/http/writes/decoded-weight.ts';
import { performWrite, type WriteScope } from '../../../src/http/writes/perform-write.ts';
import type { WriteRequest } from '../../../src/http/writes/write-request.ts';
import { GrownWrite } from '../../../src/meta/grown-write.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import type { ResourceVerbs } from '../../../src/registry/types.ts';
import { realCatalogue } from '../../support/catalogue.ts';

const naming = namingProfiles.kubernetes;
const { catalogue, schemas } = realCatalogue(naming);
const types = createWireTypes(() => catalogue, schemas);
const protobuf = 'application/vnd.kubernetes.protobuf';
const podResource = catalogue.resource('', 'v1', 'pods');
if (!podResource) throw new Error('no pods');

type Sent = Pick<WriteRequest, 'operation' | 'contentType' | 'body'>;

class Taken extends Error {
  readonly containers: number;
  constructor(pod: JsonValue) {
    super('taken');
    this.containers = (pod as { spec: { containers: unknown[] } }).spec.containers.length;
  }
}

/** How many containers reach the registry, unless the write moves. */
async function containersOf(sent: Sent, growth?: WriteScope['growth']): Promise<number | 'moves'> {
  const take = (_scope: unknown, _name: string, pod: JsonValue): never => {
    throw new Taken(pod);
  };
  const verbs = { create: take, replace: take, apply: take } as unknown as ResourceVerbs;
  const scope = { resource: podResource, subresource: '', growth } as unknown as WriteScope;
  const write = { name: 'a', verb: '', ...sent } as unknown as WriteRequest;
  const outcome = await performWrite(write, scope, { verbs, types }).catch((error: unknown) => error);
  if (outcome instanceof GrownWrite) return 'moves';
  if (outcome instanceof Taken) return outcome.containers;
  throw outcome;
}

function podOf(containers: number): Buffer {
  const schema = types.find('v1', 'Pod');
  if (!schema) throw new Error('no type');
  const object = {
    apiVersion: 'v1',
    kind: 'Pod',
    spec: { containers: Array.from({ length: containers }, () => ({})) },
  };
  return encodeProtobuf(schema, object);
}

/** Each limit has to be a valid name twice: as a limit, and as the request that becomes of it. */
function limited(limits: number): Buffer {
  const schema = types.find('v1', 'Pod');
  if (!schema) throw new Error('no type');
  const named = Array.from({ length: limits }, (_unused, i) => [`a.b/k${String(i)}`, '1']);
  const containers = [{ resources: { limits: Object.fromEntries(named) as JsonObject } }];
  return encodeProtobuf(schema, { apiVersion: 'v1', kind: 'Pod', spec: { containers } });
}

function aliased(aliases: number): Buffer {
  const first = '  - &a {ports: [{}, {}, {}, {}, {}, {}, {}, {}, {}, {}]}\n';
  return Buffer.from(
    `apiVersion: v1\nkind: Pod\nspec:\n  containers:\n${first}${'  - *a\n'.repeat(aliases)}`,
  );
}

const bodies: [string, Sent, Sent, number][] = [
  [
    'Protobuf',
    { operation: 'create', contentType: protobuf, body: podOf(100) },
    { operation: 'create', contentType: protobuf, body: podOf(2_000) },
    2_000,
  ],
  [
    'maps of Protobuf, which are mostly names',
    { operation: 'create', contentType: protobuf, body: podOf(100) },
    { operation: 'create', contentType: protobuf, body: limited(3_200) },
    1,
  ],
  [
    'aliases of YAML',
    { operation: 'replace', contentType: 'application/yaml', body: aliased(10) },
    { operation: 'replace', contentType: 'application/yaml', body: aliased(999) },
    1_000,
  ],
  [
    'aliases of an applied configuration',
    { operation: 'apply', contentType: 'application/apply-patch+yaml', body: aliased(10) },
    { operation: 'apply', contentType: 'application/apply-patch+yaml', body: aliased(999) },
    1_000,
  ],
];

test.each(bodies)('%s: what is small stays, what weighs much moves', async (_name, small, large, count) => {
  expect(large.body.length).toBeLessThan(64 * 1024);
  expect(await containersOf(small, 'moves')).toBeGreaterThan(10);
  expect(await containersOf(large, 'moves')).toBe('moves');
  expect(await containersOf(large, 'stays')).toBe(count);
  expect(await containersOf(large)).toBe(count);
});

/** As `weighsMore` counts, without an end. */
function weightOf(value: JsonValue): number {
  if (typeof value === 'string') return memberBytes + value.length;
  const items = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
  const names = isObject(value) ? Object.keys(value).join('').length : 0;
  return items.reduce<number>((sum, item) => sum + weightOf(item ?? null), memberBytes + names);
}

test('the limit is that of the whole weight', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }) as fc.Arbitrary<JsonValue>, (json) => {
      const weight = weightOf(json);
      expect(weighsMore(json, weight)).toBe(false);
      expect(weighsMore(json, weight - 1)).toBe(true);
    }),
  );
});

test('what weighs more is not looked at to its end', () => {
  let seen = 0;
  const item = {
    get a() {
      return String((seen += 1));
    },
  };
  expect(
    weighsMore(
      Array.from({ length: 1_000 }, () => item),
      320,
    ),
  ).toBe(true);
  expect(seen).toBeLessThan(20);
});
