/** Random paths, queries, headers and bodies: the answer is always below 500, and the replica is well afterwards. */
import fc from 'fast-check';

import type { ApiClient } from '../../support/client.ts';
import { dangerousKeys } from './support/hostile-bodies.ts';
import { configMaps, startPatient, type Patient } from './support/patient.ts';

let patient: Patient;
let admin: ApiClient;

beforeAll(async () => {
  patient = await startPatient();
  admin = patient.replica.admin;
});
afterEach(() => patient.checkUp());
afterAll(() => patient[Symbol.asyncDispose]());

const methods = fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'PROPFIND');
const runs = { numRuns: Number(process.env['ORCH_FUZZ_RUNS'] ?? 150) };

const word = fc.oneof(
  fc.constantFrom(
    'api',
    'apis',
    'v1',
    'namespaces',
    'default',
    'pods',
    'configmaps',
    'status',
    'watch',
    'x',
    '',
  ),
  fc.constantFrom(
    'storage.orch.io',
    'csinodes',
    '.',
    '..',
    '%',
    'openapi',
    'metrics',
    'binding',
    'log',
    'proxy',
  ),
  fc.constantFrom(...dangerousKeys),
  fc.string({ maxLength: 20 }).map(encodeURIComponentSafely),
  fc.string({ unit: 'binary', maxLength: 8 }).map(encodeURIComponentSafely),
);
const path = fc.array(word, { maxLength: 9 }).map((words) => `/${words.join('/')}`);

const parameter = fc.constantFrom(
  ...[
    'labelSelector',
    'fieldSelector',
    'limit',
    'continue',
    'resourceVersion',
    'resourceVersionMatch',
    'pretty',
  ],
  ...[
    'timeoutSeconds',
    'dryRun',
    'fieldManager',
    'propagationPolicy',
    'gracePeriodSeconds',
    'allowWatchBookmarks',
  ],
  ...['sendInitialEvents', 'includeObject', 'as', '__proto__'],
);
const value = fc.oneof(
  fc.constantFrom(
    '',
    '0',
    '1',
    '-1',
    'true',
    'a=b',
    'a in (b,c)',
    '!x',
    'metadata.name=x',
    'Exact',
    'NotOlderThan',
  ),
  fc.constantFrom(
    '9999999999999999999999',
    '1e5',
    'a in (',
    ',,,',
    '=',
    '!',
    'All',
    'eyJydiI6MX0',
    'Background',
  ),
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
);
const query = fc
  .array(fc.tuple(parameter, value), { maxLength: 4 })
  .map((pairs) => pairs.map(([name, text]) => `${name}=${encodeURIComponentSafely(text)}`).join('&'));

const contentType = fc.constantFrom(
  ...['application/json', 'application/yaml', 'application/json-patch+json', 'application/merge-patch+json'],
  ...[
    'application/strategic-merge-patch+json',
    'application/apply-patch+yaml',
    'application/vnd.orch.protobuf',
  ],
  ...['text/plain', 'application/json; charset=latin1', ''],
);
const accept = fc.constantFrom(
  ...[
    'application/json',
    'application/yaml',
    '*/*',
    'application/vnd.orch.protobuf',
    'text/html',
    'application/*',
    ';;',
  ],
  ...[
    'application/json;as=Table;v=v1;g=meta.orch.io',
    'application/json;as=PartialObjectMetadata;v=v1;g=meta.orch.io',
  ],
  ...['application/json;as=Nonsense;v=v9;g=x', 'application/json;q=0, */*;q=0.1'],
);

/** Objects with the field names of the API and values that mostly do not fit. */
const fieldName = fc.oneof(
  fc.constantFrom(
    'apiVersion',
    'kind',
    'metadata',
    'name',
    'namespace',
    'labels',
    'annotations',
    'spec',
    'status',
  ),
  fc.constantFrom(
    'containers',
    'data',
    'binaryData',
    'ownerReferences',
    'finalizers',
    'uid',
    'resourceVersion',
  ),
  fc.constantFrom(
    'creationTimestamp',
    'deletionTimestamp',
    'managedFields',
    'generateName',
    'items',
    'image',
    'op',
  ),
  fc.constantFrom(...dangerousKeys),
  fc.string({ maxLength: 10 }),
);
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof({ depthSize: 'small', withCrossShrink: true }, tie('leaf'), tie('list'), tie('members')),
  leaf: fc.oneof(
    fc.constantFrom(
      null,
      true,
      0,
      -1,
      2 ** 53,
      1e300,
      'v1',
      'ConfigMap',
      'Pod',
      'x',
      '',
      '2020-01-01T00:00:00Z',
    ),
    fc.string({ maxLength: 20 }),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  ),
  list: fc.array(tie('tree'), { maxLength: 4 }),
  members: fc.array(fc.tuple(fieldName, tie('tree')), { maxLength: 6 }).map(fromEntries),
}));
const almostObject = fc
  .tuple(fc.constantFrom('ConfigMap', 'Pod', 'Secret', 'Node', 'Lease'), tree, tree, tree)
  .map(([kind, metadata, spec, data]) =>
    fromEntries([
      ['kind', kind],
      ['metadata', metadata],
      ['spec', spec],
      ['data', data],
    ]),
  );
const body = fc.oneof(
  fc.string({ maxLength: 200 }).map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  tree.map(toBytes),
  almostObject.map(toBytes),
);

/** Like a literal with these members; `__proto__` stays a member. */
function fromEntries(entries: [string, unknown][]): unknown {
  return Object.fromEntries(entries);
}

function toBytes(tree: unknown): Buffer {
  return Buffer.from(JSON.stringify(tree));
}

/** Lone surrogates cannot be encoded; they become the replacement character. */
function encodeURIComponentSafely(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** Sends it and reads the head of the answer alone, for it may be a watch. */
async function statusOf(
  method: string,
  target: string,
  bytes?: Buffer,
  headers?: Record<string, string>,
): Promise<number> {
  const response = await admin.open(method, target, bytes, headers);
  response.on('error', () => undefined);
  response.destroy();
  return response.statusCode ?? 0;
}

test('random paths and queries', async () => {
  await fc.assert(
    fc.asyncProperty(methods, path, query, accept, async (method, where, what, accepted) => {
      expect(await statusOf(method, `${where}?${what}`, undefined, { accept: accepted })).toBeLessThan(500);
    }),
    runs,
  );
}, 120_000);

test('random queries on collections and objects that exist', async () => {
  const places = fc.constantFrom(
    configMaps,
    `${configMaps}/canary`,
    '/api/v1/pods',
    '/api/v1/watch/pods',
    '/api/v1',
  );
  await fc.assert(
    fc.asyncProperty(places, query, accept, fc.boolean(), async (where, what, accepted, isWatch) => {
      const target = `${where}?${what}${isWatch ? '&watch=1' : ''}`;
      // 504 is the right answer to a resource version from the future.
      const status = await statusOf('GET', target, undefined, { accept: accepted });
      expect(status < 500 || (status === 504 && what.includes('resourceVersion='))).toBe(true);
    }),
    { numRuns: Math.ceil(runs.numRuns / 2) },
  );
}, 300_000);

test('random bodies to creations, replacements and patches', async () => {
  const places = fc.constantFrom(
    ...[configMaps, '/api/v1/namespaces/default/pods', '/api/v1/namespaces/default/secrets', '/api/v1/nodes'],
    ...['/api/v1/namespaces', `${configMaps}/target`, '/api/v1/namespaces/default/pods/target/binding'],
    ...['/apis/coordination.orch.io/v1/namespaces/default/leases', '/api/v1/namespaces/default/status'],
  );
  const writes = fc.constantFrom('POST', 'PUT', 'PATCH');
  await fc.assert(
    fc.asyncProperty(writes, places, contentType, body, async (method, where, type, bytes) => {
      expect(await statusOf(method, where, bytes, { 'content-type': type })).toBeLessThan(500);
    }),
    { numRuns: runs.numRuns * 4 },
  );
}, 120_000);

test('random patches of an object that exists', async () => {
  await admin.ok('POST', configMaps, { metadata: { name: 'target' }, data: { a: 'b' } });
  const pointer = fc
    .array(fieldName, { maxLength: 3 })
    .map((names) => names.map((name) => `/${name}`).join(''));
  const op = fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test', 'nonsense');
  const step = fc.record({ op, path: pointer, from: pointer, value: tree }, { requiredKeys: ['op'] });
  const steps = fc.array(step, { maxLength: 5 }).map(toBytes);
  const kinds = fc.constantFrom('json', 'merge', 'strategic-merge');
  await fc.assert(
    fc.asyncProperty(kinds, fc.oneof(steps, tree.map(toBytes)), async (kind, bytes) => {
      const headers = { 'content-type': `application/${kind}-patch+json` };
      expect(await statusOf('PATCH', `${configMaps}/target`, bytes, headers)).toBeLessThan(500);
    }),
    { numRuns: runs.numRuns * 2 },
  );
  await admin.request('DELETE', `${configMaps}/target`);
}, 120_000);
