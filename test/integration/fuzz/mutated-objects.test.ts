/**
 * Objects of every kind of the newest release with values that do not belong there, by every write and in every encoding:
 * the answer is below 500, and what was accepted can be read in every representation.
 */
import fc from 'fast-check';
import { isObject, setOwn, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { encodeCborDocument } from '../../../src/codec/cbor/encode-cbor.ts';
import { encodeProtobuf } from '../../../src/codec/protobuf/codec.ts';
import { encodeYaml } from '../../../src/codec/encode-yaml.ts';
import { hasProtobuf } from '../../../src/http/wire-types.ts';
import { apiVersionOf } from '../../../src/meta/gvk.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { newestRelease, releaseText } from '../../../src/observe/release.ts';
import type { ServedResource } from '../../../src/registry/types.ts';
import { arbitraryObject } from '../../support/arbitrary-object.ts';
import { realCatalogue } from '../../support/catalogue.ts';
import { startEtcdCluster, type EtcdCluster } from '../../support/etcd/cluster.ts';
import { startReplica, type Replica } from '../../support/replica.ts';
import { sampleOf } from '../../support/samples.ts';

const runs = { numRuns: Number(process.env['ORCH_FUZZ_RUNS'] ?? 1_500) };
const protobuf = 'application/vnd.orch.protobuf';
const { catalogue } = realCatalogue(namingProfiles.orch, newestRelease);
const creatable = catalogue
  .groups()
  .flatMap(({ versions }) => versions.flatMap((version) => version.resources))
  .filter(({ definition }) => definition.verbs.includes('create'));

const served: ServedResource[] = [];
const samples = new Map<string, JsonObject>();
let etcd: EtcdCluster;
let replica: Replica;

beforeAll(async () => {
  etcd = await startEtcdCluster({ how: 'process' });
  const flags = ['--runtime-config=api/all=true', '--feature-gates=CBORServingAndStorage=true'];
  replica = await startReplica({
    etcd,
    args: [`--emulated-release=${releaseText(newestRelease)}`, ...flags],
  });
  for (const resource of creatable) await prepare(resource);
});
afterAll(async () => {
  await replica.close();
  await etcd.close();
});

/** Creates the sample under the name `a`, which replacements and patches find. */
async function prepare(resource: ServedResource): Promise<void> {
  const path = pathOf(resource);
  if ((await replica.admin.get(path)).status === 404) return;
  served.push(resource);
  const sample = await sampleOf(resource.storage.collection);
  if (!sample) return;
  samples.set(resource.storage.collection, sample);
  await replica.admin.post(path, { ...sample, metadata: { name: 'a' } });
}

function pathOf({ gvr, namespaced }: ServedResource): string {
  const root = gvr.group === '' ? `/api/${gvr.version}` : `/apis/${gvr.group}/${gvr.version}`;
  return `${root}${namespaced ? '/namespaces/default' : ''}/${gvr.resource}`;
}

const hostileValue: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.constantFrom<JsonValue[]>(null, true, 0, -0, -1, 1.5, 2 ** 31, 2 ** 53, -(2 ** 63), 1e300, 5e-324),
  fc.constantFrom('', ' ', '0', '-1', '1e309', 'NaN', '%', '..', '/', '*', '\u0000', '__proto__', '{}', '🙂'),
  fc.constantFrom('9999999999999999999999Ei', '1e-999', '99999-12-31T23:59:59Z', '0000-00-00T00:00:00Z'),
  fc.constantFrom<JsonValue[]>([], {}, [[]], [null], [{}], { '': null }, [1, 'a'], { a: [{ b: null }] }),
  fc.string({ unit: 'binary', maxLength: 12 }).map((text) => text.toWellFormed()),
  fc.constantFrom('::', '0.0.0.0/0', 'a'.repeat(300), 'x,'.repeat(1_000), '('.repeat(500), '-'.repeat(64)),
);

/** At each level a number that chooses the member, and what takes its place. */
type Mutation = readonly [readonly number[], JsonValue];
const mutation: fc.Arbitrary<Mutation> = fc.tuple(
  fc.array(fc.nat(40), { minLength: 1, maxLength: 7 }),
  hostileValue,
);

function mutated(value: JsonValue, [[choice, ...rest], hostile]: Mutation): JsonValue {
  const below = (member: JsonValue): JsonValue => mutated(member, [rest, hostile]);
  if (choice === undefined) return hostile;
  if (Array.isArray(value) && value.length > 0)
    return value.map((item, i) => (i === choice % value.length ? below(item) : item));
  if (!isObject(value)) return hostile;
  const keys = [...Object.keys(value), '__proto__'];
  const chosen = keys[choice % keys.length];
  const copy: JsonObject = {};
  for (const key of keys) {
    if (key === chosen) setOwn(copy, key, Object.hasOwn(value, key) ? below(value[key] ?? null) : hostile);
    else if (Object.hasOwn(value, key)) setOwn(copy, key, value[key] ?? null);
  }
  return copy;
}

const subresources: Readonly<Record<string, readonly string[]>> = {
  pods: ['eviction', 'binding', 'resize', 'ephemeralcontainers'],
  serviceaccounts: ['token'],
  namespaces: ['finalize'],
  certificatesigningrequests: ['approval'],
  deployments: ['scale'],
  replicasets: ['scale'],
  statefulsets: ['scale'],
  replicationcontrollers: ['scale'],
};

/** What is written: mostly the object itself, also its status and other subresources. */
function placeOf({ gvr }: ServedResource): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 6, arbitrary: fc.constant('') },
    {
      weight: 2,
      arbitrary: fc.constantFrom('/status', ...(subresources[gvr.resource] ?? []).map((n) => `/${n}`)),
    },
  );
}

interface Write {
  readonly resource: ServedResource;
  readonly random: JsonObject;
  readonly isSample: boolean;
  readonly mutations: Mutation[];
  readonly verb: 'POST' | 'PUT' | 'json' | 'merge' | 'strategic-merge' | 'apply';
  readonly type: string;
  readonly flips: readonly (readonly [number, number])[];
  readonly isDry: boolean;
  readonly place: string;
  readonly name: string;
}

function writeOf(resource: ServedResource): fc.Arbitrary<Write> {
  return fc.record({
    resource: fc.constant(resource),
    random: arbitraryObject(resource.schema, 4),
    isSample: fc.boolean(),
    mutations: fc.array(mutation, { maxLength: 3 }),
    verb: fc.constantFrom('POST', 'PUT', 'json', 'merge', 'strategic-merge', 'apply'),
    type: fc.constantFrom('application/json', 'application/yaml', 'application/cbor', protobuf),
    flips: fc.array(fc.tuple(fc.nat(4_000), fc.nat(255)), { maxLength: 3 }),
    isDry: fc.boolean(),
    place: placeOf(resource),
    name: fc.constantFrom('a', 'b'),
  });
}

function objectOf({ resource, random, isSample, mutations, name }: Write, isTyped: boolean): JsonValue {
  const sample = isSample ? samples.get(resource.storage.collection) : undefined;
  const { gvk } = resource;
  const whole: JsonObject = { ...random, ...sample, apiVersion: apiVersionOf(gvk), kind: gvk.kind };
  const metadata = isObject(random['metadata']) && !isSample ? random['metadata'] : {};
  setOwn(whole, 'metadata', { ...metadata, name });
  return isTyped ? whole : mutations.reduce(mutated, whole);
}

/** An encoding with schema cannot say what does not fit: some of its bytes are changed instead. */
function protobufOf(write: Write): Buffer {
  const bytes = Buffer.from(encodeProtobuf(write.resource.schema, objectOf(write, true) as JsonObject));
  for (const [at, value] of write.flips) bytes[4 + (at % (bytes.length - 4))] = value;
  return bytes;
}

/** The body and its content type. */
function bodyOf(write: Write): readonly [Buffer, string] {
  const { verb, type, resource } = write;
  if (type === protobuf && hasProtobuf(resource) && (verb === 'POST' || verb === 'PUT'))
    return [protobufOf(write), type];
  const object = objectOf(write, false);
  if (verb === 'json') return [json(stepsOf(object)), 'application/json-patch+json'];
  if (verb === 'apply') return [json(object), 'application/apply-patch+yaml'];
  if (verb !== 'POST' && verb !== 'PUT') return [json(object), `application/${verb}-patch+json`];
  if (type === 'application/cbor') return [encodeCborDocument(object), type];
  if (type === 'application/yaml') return [Buffer.from(encodeYaml(object)), type];
  return [json(object), 'application/json'];
}

function stepsOf(object: JsonValue): JsonValue {
  if (!isObject(object)) return object;
  const pointer = (key: string): string => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  return Object.entries(object).map(([key, value]) => ({ op: 'add', path: pointer(key), value }));
}

function json(value: JsonValue): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function targetOf({ resource, verb, place, name, isDry }: Write): string {
  const path = verb === 'POST' && place === '' ? pathOf(resource) : `${pathOf(resource)}/${name}${place}`;
  const query = [
    ...(isDry ? ['dryRun=All'] : []),
    ...(verb === 'apply' ? ['fieldManager=me', 'force=true'] : []),
  ];
  return `${path}?${query.join('&')}`;
}

test('are answered below 500', async () => {
  const writes = fc.constantFrom(...served).chain(writeOf);
  const statuses = new Set<number>();
  const property = fc.asyncProperty(writes, async (write) => {
    const method = write.verb === 'POST' || write.verb === 'PUT' ? write.verb : 'PATCH';
    const [body, type] = bodyOf(write);
    const { status, text } = await replica.admin.request(method, targetOf(write), body, {
      'content-type': type,
    });
    statuses.add(status);
    if (status >= 500) throw new Error(`${String(status)} of ${method} ${targetOf(write)}: ${text}`);
  });
  await fc.assert(property, runs);
  expect([...statuses]).toEqual(expect.arrayContaining([200, 201, 400, 404, 409, 422]));
}, 3_600_000);

test('can be read in every representation afterwards', async () => {
  const answers: string[] = [];
  for (const resource of served) {
    for (const accept of [
      'application/json;as=Table;v=v1;g=meta.orch.io',
      'application/yaml',
      'application/cbor',
      protobuf,
    ]) {
      const { status } = await replica.admin.get(pathOf(resource), { accept });
      // Reviews are created only, and some kinds have no Protobuf.
      if (![200, 405, 406].includes(status))
        answers.push(`${pathOf(resource)} as ${accept}: ${String(status)}`);
    }
  }
  expect(answers).toEqual([]);
});
