/** Requests whose refusal might repeat what was sent: long names, and many errors below one long key. */
export interface LongAsk {
  readonly name: string;
  readonly method?: 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'GET';
  readonly path: string;
  readonly type?: string;
  readonly body?: object | string | Buffer;
  readonly headers?: Record<string, string>;
}

export const longDefinition = {
  apiVersion: 'apiextensions.orch.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.long.test' },
  spec: {
    group: 'long.test',
    names: { kind: 'Thing', plural: 'things' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              when: { type: 'string', format: 'date-time' },
              one: { type: 'string', enum: Array.from({ length: 5_000 }, (_unused, i) => `choice ${i}`) },
              many: {
                type: 'array',
                items: { type: 'string', enum: ['a'], pattern: `^a{1}${'b?'.repeat(500)}$` },
              },
              keyed: {
                type: 'object',
                additionalProperties: { type: 'object', properties: { n: { type: 'integer' } } },
              },
            },
          },
        },
      },
    ],
  },
};

export const things = '/apis/long.test/v1/namespaces/default/things';
export const definitions = '/apis/apiextensions.orch.io/v1/customresourcedefinitions';
const core = '/api/v1/namespaces/default';
const configMaps = `${core}/configmaps`;
const pods = `${core}/pods`;
const strict = '?fieldValidation=Strict';
const yaml = 'application/yaml';
const applied = 'application/apply-patch+yaml';
const patchType = (kind: string): string => `application/${kind}-patch+json`;

const long = 'x'.repeat(1_000_000);
/** Options of a deletion have at most 64 KiB. */
const longOption = long.slice(0, 60_000);
const quotes = '%22'.repeat(4_000);

function times<T>(count: number, make: (i: number) => T): T[] {
  return Array.from({ length: count }, (_unused, i) => make(i));
}

function members(count: number, value: unknown): object {
  return Object.fromEntries(times(count, (i) => [`k${i}`, value]));
}

const twice = times(1_000, (i) => `"k${i}":1,"k${i}":2`).join(',');
const container = { name: 'a', image: 'a' };

function pod(spec: object): object {
  return { metadata: { name: 'long' }, spec: { containers: [container], ...spec } };
}

function configMap(metadata: object, data: object = {}): object {
  return { metadata: { name: 'long', ...metadata }, ...data };
}

function definition(properties: object): object {
  const [version] = longDefinition.spec.versions;
  const schema = { openAPIV3Schema: { type: 'object', properties } };
  return {
    ...longDefinition,
    metadata: { name: 'others.long.test' },
    spec: { ...longDefinition.spec, versions: [{ ...version, schema }] },
  };
}

function thing(fields: object): object {
  return { apiVersion: 'long.test/v1', kind: 'Thing', metadata: { name: 'long' }, ...fields };
}

function change(kind: string, body: object, query = ''): Pick<LongAsk, 'method' | 'path' | 'type' | 'body'> {
  return { method: 'PATCH', path: `${configMaps}/canary${query}`, type: patchType(kind), body };
}

function read(path: string): Pick<LongAsk, 'method' | 'path'> {
  return { method: 'GET', path };
}

const belowLongKey: readonly LongAsk[] = [
  { name: 'unknown fields', path: definitions + strict, body: definition({ [long]: members(1_000, 1) }) },
  { name: 'misfits', path: definitions, body: definition({ [long]: { properties: members(1_000, 1) } }) },
  {
    name: 'schemas that are none',
    path: definitions,
    body: definition({
      [long]: { type: 'object', properties: members(1_000, { type: 'odd', pattern: '(' }) },
    }),
  },
  { name: 'keys twice', path: configMaps + strict, body: `{"metadata":{"name":"a"},"${long}":{${twice}}}` },
  {
    name: 'keys twice, YAML',
    path: configMaps + strict,
    type: yaml,
    body: `? ${'x'.repeat(900)}\n: {${times(1_000, (i) => `k${i}: 1, k${i}: 2`).join(',')}}\n`,
  },
  {
    name: 'keys twice, applied',
    method: 'PATCH',
    path: `${configMaps}/long?fieldManager=x`,
    type: applied,
    body: `{"${long}":{${twice}}}`,
  },
  {
    name: 'unknown fields of a custom resource',
    path: things + strict,
    body: thing({ keyed: { [long]: members(1_000, 1) } }),
  },
  {
    name: 'misfits of a custom resource',
    path: things,
    body: thing({ keyed: Object.fromEntries(times(450, (i) => [`${'x'.repeat(5_000)}${i}`, { n: 'a' }])) }),
  },
];

const manyErrors: readonly LongAsk[] = [
  {
    name: 'labels',
    path: configMaps,
    body: configMap({
      labels: Object.fromEntries(times(20_000, (i) => [`-${i}-`, `-${'v'.repeat(70)}`])),
    }),
  },
  {
    name: 'finalizers',
    path: configMaps,
    body: configMap({ finalizers: times(2_000, (i) => `${'y'.repeat(400)}${i}`) }),
  },
  {
    name: 'values that are none of the few',
    path: pods,
    body: pod({ tolerations: times(2_000, () => ({ operator: 'o'.repeat(900), effect: 'e'.repeat(200) })) }),
  },
  { name: 'values that are none of thousands', path: things, body: thing({ one: long }) },
  {
    name: 'values that a long pattern does not match',
    path: things,
    body: thing({ many: times(400, () => 'x'.repeat(5_000)) }),
  },
  {
    name: 'containers of one name',
    path: pods,
    body: pod({ containers: times(1_500, () => ({ ...container, name: 'x'.repeat(1_500) })) }),
  },
  {
    name: 'members of an operation',
    ...change('json', [{ op: 'test', path: '/data/song', value: 'tweet', ...members(100_000, 1) }], strict),
  },
  {
    name: 'dry runs',
    method: 'DELETE',
    path: `${configMaps}/canary`,
    body: { dryRun: times(8_000, String) },
  },
];

const longTexts: readonly LongAsk[] = [
  { name: 'an unknown field', path: configMaps + strict, body: configMap({}, { [long]: 1 }) },
  { name: 'a name', path: configMaps, body: configMap({ name: long }) },
  {
    name: 'a name unlike the path',
    method: 'PUT',
    path: `${configMaps}/canary`,
    body: configMap({ name: long }),
  },
  { name: 'a kind', path: configMaps, body: { kind: long } },
  { name: 'a kind that is no text', path: configMaps, body: { kind: { [long]: 1 } } },
  { name: 'a version', path: configMaps, body: { apiVersion: long } },
  {
    name: 'a resource version',
    method: 'PUT',
    path: `${configMaps}/canary`,
    body: configMap({ name: 'canary', resourceVersion: long }),
  },
  {
    name: 'a uid',
    method: 'PUT',
    path: `${configMaps}/canary`,
    body: configMap({ name: 'canary', uid: long }),
  },
  {
    name: 'two controllers',
    path: configMaps,
    body: configMap({
      ownerReferences: times(2, (i) => ({
        ...{ apiVersion: 'v1', kind: 'Pod', name: `${i}${long}`, uid: String(i), controller: true },
      })),
    }),
  },
  { name: 'a key of data', path: configMaps, body: configMap({}, { data: { [`!${long}`]: 'a' } }) },
  {
    name: 'a key of data and of binary data',
    path: configMaps,
    body: configMap({}, { data: { [long]: 'a' }, binaryData: { [long]: 'YQ==' } }),
  },
  { name: 'a key of what does not fit', path: configMaps, body: configMap({}, { data: { [long]: 1 } }) },
  {
    name: 'a resource of a container',
    path: pods,
    body: pod({ containers: [{ ...container, resources: { limits: { [long]: '1' } } }] }),
  },
  { name: 'an account', path: pods, body: pod({ serviceAccountName: long }) },
  { name: 'a priority class', path: pods, body: pod({ priorityClassName: long }) },
  { name: 'a runtime class', path: pods, body: pod({ runtimeClassName: long }) },
  { name: 'a JSON pointer', ...change('json', [{ op: 'replace', path: `/${long}/a`, value: 1 }]) },
  { name: 'a JSON pointer that is none', ...change('json', [{ op: 'replace', path: long, value: 1 }]) },
  { name: 'a directive', ...change('strategic-merge', { $patch: long }) },
  { name: 'a directive that is no text', ...change('strategic-merge', { $patch: { [long]: 1 } }) },
  { name: 'a patch that leaves what does not fit', ...change('merge', { data: { [long]: 4 } }) },
  {
    name: 'an applied list with a key twice',
    method: 'PATCH',
    path: `${pods}/long?fieldManager=x`,
    type: applied,
    body: {
      apiVersion: 'v1',
      kind: 'Pod',
      spec: { containers: times(2, () => ({ name: long, image: 'a' })) },
    },
  },
  { name: 'a format of a custom resource', path: things, body: thing({ when: long }) },
  {
    name: 'options of a deletion',
    method: 'DELETE',
    path: `${configMaps}/canary`,
    body: { kind: longOption },
  },
  {
    name: 'a precondition',
    method: 'DELETE',
    path: `${configMaps}/canary`,
    body: { preconditions: { uid: longOption } },
  },
  { name: 'a Protobuf kind', path: configMaps, type: 'application/vnd.orch.protobuf', body: envelope(long) },
];

const longHeads: readonly LongAsk[] = [
  { name: 'a label selector', ...read(`${configMaps}?labelSelector=${quotes}`) },
  { name: 'a field selector', ...read(`${configMaps}?fieldSelector=${quotes}%3D1`) },
  { name: 'a limit', ...read(`${configMaps}?limit=${quotes}`) },
  { name: 'a resource version of a read', ...read(`${configMaps}?resourceVersion=${quotes}`) },
  { name: 'a timeout', ...read(`${configMaps}?timeout=${quotes}`) },
  { name: 'a name in the path', ...read(`${configMaps}/${quotes}`) },
  { name: 'a user', ...read(configMaps), headers: { 'impersonate-user': '"'.repeat(12_000) } },
  { name: 'an expectation', ...read(configMaps), headers: { expect: '"'.repeat(12_000) } },
];

export const longAsks: readonly LongAsk[] = [
  ...belowLongKey.map((ask) => ({ ...ask, name: `below a long key: ${ask.name}` })),
  ...manyErrors.map((ask) => ({ ...ask, name: `very many: ${ask.name}` })),
  ...longTexts.map((ask) => ({ ...ask, name: `very long: ${ask.name}` })),
  ...longHeads.map((ask) => ({ ...ask, name: `in the head: ${ask.name}` })),
];

/** The begin of a Protobuf body of the version v1: which kind it has, and nothing else. */
function envelope(kind: string): Buffer {
  const text = Buffer.from(kind);
  const version = Buffer.from('\u000a\u0002v1');
  const meta = Buffer.concat([version, Buffer.from([0x12]), varint(text.length), text]);
  return Buffer.concat([Buffer.from('k8s\0\u000a'), varint(meta.length), meta]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128);
  return Buffer.from([...bytes, rest]);
}
