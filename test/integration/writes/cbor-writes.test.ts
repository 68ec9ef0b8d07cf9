/** Bodies in CBOR of a real replica: large ones, hostile ones, their trace in the audit log, and ratcheting of declared rules. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { JsonValue } from '../../../src/base/json.ts';
import { decodeCbor } from '../../../src/codec/cbor/decode-cbor.ts';
import { encodeCborDocument } from '../../../src/codec/cbor/encode-cbor.ts';
import { startServices, type Services } from '../../support/authorized-server.ts';
import type { Answer } from '../../support/client.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

const maps = '/api/v1/namespaces/web/configmaps';
const cbor = 'application/cbor';
const policy =
  'apiVersion: audit.orch.io/v1\nkind: Policy\nrules:\n- {level: RequestResponse, resources: [{resources: [configmaps]}]}\n';

let services: Services;
let log: string;
const owned = new AsyncDisposableStack();

beforeAll(async () => {
  const folder = await makeTempFolder('cbor-writes');
  owned.defer(() => folder.remove());
  log = join(folder.path, 'audit.log');
  const file = join(folder.path, 'policy.yaml');
  writeFileSync(file, policy);
  services = owned.use(
    await startServices(1, [
      ...['--emulated-release=1.36', '--feature-gates=CBORServingAndStorage=true'],
      ...[`--audit-policy-file=${file}`, `--audit-log-path=${log}`],
    ]),
  );
}, 60_000);
afterAll(() => owned.disposeAsync());

function send(method: string, path: string, body: JsonValue | Buffer, type = cbor): Promise<Answer> {
  const bytes = Buffer.isBuffer(body) ? body : encodeCborDocument(body);
  return services.admin.request(method, path, bytes, { 'content-type': type, accept: cbor });
}

function named(name: string, data: Record<string, string>): JsonValue {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
}

const long = { text: 'x'.repeat(900_000) };
const manyKeys = Object.fromEntries(Array.from({ length: 8_000 }, (_, i) => [i.toString(36), '']));

test.each([
  ['a long text', 'long', long],
  ['very many members in less than 64 KiB', 'many', manyKeys],
])('%s is created, applied and listed', async (_what, name, data) => {
  const made = await send('POST', maps, named(name, data));
  expect(made.status).toBe(201);
  const stored = await services.admin.ok('GET', `${maps}/${name}`);
  expect(stored['data']).toEqual(data);
  expect(decodeCbor(made.body)).toEqual(stored);
  const path = `${maps}/${name}-applied?fieldManager=me`;
  const configuration = named(`${name}-applied`, data);
  const applied = await send('PATCH', path, configuration, 'application/apply-patch+cbor');
  expect(applied.status).toBe(201);
  const list = await services.admin.get(maps, { accept: cbor });
  const { items } = decodeCbor(list.body) as { items: { data: object }[] };
  expect(items.filter((item) => JSON.stringify(item.data) === JSON.stringify(data))).toHaveLength(2);
});

test.each([
  ['nested lists', Buffer.alloc(3_000_000, 0x81)],
  ['nested maps without end', Buffer.from('bf6161'.repeat(1_000_000), 'hex')],
  ['a chain of tags', Buffer.alloc(3_000_000, 0xd6)],
  ['pieces of a text without end', Buffer.concat([Buffer.from([0x7f]), Buffer.alloc(3_000_000, 0x60)])],
  [
    'a list of millions',
    Buffer.concat([Buffer.from([0x9f]), Buffer.alloc(3_000_000, 0xf6), Buffer.from([0xff])]),
  ],
])('%s is a 400, and others are served', async (_what, body) => {
  const answers = await Promise.all([
    ...[
      send('POST', maps, body),
      send('PATCH', `${maps}/a?fieldManager=me`, body, 'application/apply-patch+cbor'),
    ],
    services.admin.get('/livez'),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([400, 400, 200]);
});

test('the audit log has bodies and answers as JSON', async () => {
  const made = await send('POST', maps, named('audited', { a: 'b' }));
  const path = `${maps}/audited?fieldManager=me&force=true`;
  const applied = await send('PATCH', path, named('audited', { a: 'c' }), 'application/apply-patch+cbor');
  for (const [{ headers }, a] of [
    [made, 'b'],
    [applied, 'c'],
  ] as const) {
    const event = await waitFor('the event', () =>
      readFileSync(log, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .find(({ auditID, stage }) => auditID === headers['audit-id'] && stage === 'ResponseComplete'),
    );
    expect(event).toMatchObject({ requestObject: { data: { a } }, responseObject: { data: { a } } });
  }
});

test('declared rules are told with their causes', async () => {
  const slice = {
    ...{ apiVersion: 'resource.orch.io/v1', kind: 'ResourceSlice', metadata: { name: 'odd' } },
    spec: {
      ...{ driver: 'gpu.example.com', nodeName: 'n' },
      pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
      devices: [{ name: 'a', attributes: { 'example.com/a': { int: 1, bool: true } } }],
    },
  };
  const refused = await send('POST', '/apis/resource.orch.io/v1/resourceslices', slice);
  expect([refused.status, decodeCbor(refused.body)]).toMatchObject([
    422,
    {
      details: {
        causes: [{ reason: 'FieldValueInvalid', field: 'spec.devices[0].attributes[example.com/a]' }],
      },
    },
  ]);
});
