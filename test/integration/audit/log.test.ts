/** The audit trail of a real replica, as its file has it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { untilPodsMayRun } from '../../support/default-account.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';
import { binding, rbac, startServices, until, type Services } from '../../support/authorized-server.ts';

interface Event {
  readonly level: string;
  readonly stage: string;
  readonly auditID: string;
  readonly verb: string;
  readonly user: { readonly username?: string; readonly groups?: readonly string[] };
  readonly impersonatedUser?: { readonly username: string };
  readonly sourceIPs: readonly string[];
  readonly objectRef?: Record<string, string>;
  readonly responseStatus?: { readonly code: number; readonly reason?: string };
  readonly requestObject?: Record<string, unknown>;
  readonly responseObject?: Record<string, unknown>;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  readonly annotations?: Record<string, string>;
}

const policy = `apiVersion: audit.orch.io/v1
kind: Policy
rules:
- {level: None, users: ["system:orch-controller-manager"]}
- {level: RequestResponse, resources: [{resources: [configmaps, "serviceaccounts/*"]}, {group: authentication.orch.io}]}
- {level: Request, resources: [{resources: [services]}]}
- {level: Metadata, omitStages: [RequestReceived]}
`;

let services: Services;
let log: string;
const owned = new AsyncDisposableStack();

beforeAll(async () => {
  const folder = await makeTempFolder('audit');
  owned.defer(() => folder.remove());
  log = join(folder.path, 'trail', 'audit.log');
  const file = join(folder.path, 'policy.yaml');
  writeFileSync(file, policy);
  services = owned.use(await startServices(1, [`--audit-policy-file=${file}`, `--audit-log-path=${log}`]));
}, 60_000);
afterAll(() => owned.disposeAsync());

const events = (): Event[] =>
  readFileSync(log, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Event);

/** All events of a request, once its last stage is there. */
function trailOf(auditId: string | string[] | undefined, last = 'ResponseComplete'): Promise<Event[]> {
  return waitFor(`the events of ${String(auditId)}`, () => {
    const own = events().filter((event) => event.auditID === auditId);
    return own.some((event) => event.stage === last) && own;
  });
}

const secret = (name: string) => ({ metadata: { name }, stringData: { word: 'hush-hush' } });

test('bodies of very many members are not decoded for the log, and answers are in it as they were sent', async () => {
  const data = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${String(i)}`, 'ü']));
  const path = '/api/v1/namespaces/web/configmaps';
  const made = await services.admin.post(`${path}?pretty=true`, { metadata: { name: 'many' }, data });
  expect(made.status).toBe(201);
  const complete = (await trailOf(made.headers['audit-id']?.toString())).at(-1);
  expect(complete?.requestObject).toBeUndefined();
  expect(complete?.responseObject).toEqual(JSON.parse(made.text));
  expect(complete?.annotations).toMatchObject({ 'audit.orch.io/truncated': 'true' });
  const text = 'x'.repeat(200_000);
  const long = await services.admin.post(path, { metadata: { name: 'long' }, data: { text } });
  const last = (await trailOf(long.headers['audit-id']?.toString())).at(-1);
  expect(last?.requestObject).toMatchObject({ data: { text } });
  expect(last?.annotations).not.toHaveProperty('audit.orch.io/truncated');
});

test('Metadata: who, what and why, and no body', async () => {
  const answer = await services.admin.request('POST', '/api/v1/namespaces/web/secrets', secret('one'));
  const [event, ...others] = await trailOf(answer.headers['audit-id']?.toString());
  expect(others).toEqual([]);
  expect(event).toMatchObject({
    kind: 'Event',
    apiVersion: 'audit.orch.io/v1',
    level: 'Metadata',
    stage: 'ResponseComplete',
    requestURI: '/api/v1/namespaces/web/secrets',
    verb: 'create',
    user: { username: 'admin', groups: ['system:masters', 'system:authenticated'] },
    sourceIPs: ['127.0.0.1'],
    objectRef: { resource: 'secrets', namespace: 'web', name: 'one', apiVersion: 'v1' },
    responseStatus: { code: 201 },
    annotations: { 'authorization.orch.io/decision': 'allow' },
  });
  expect(event?.requestObject ?? event?.responseObject).toBeUndefined();
  expect(readFileSync(log, 'utf8')).not.toContain('hush-hush');
  expect(event!.stageTimestamp > event!.requestReceivedTimestamp).toBe(true);
});

test('RequestResponse: what came and what went, in JSON whatever the client speaks', async () => {
  const path = '/api/v1/namespaces/web/configmaps';
  const body = 'kind: ConfigMap\napiVersion: v1\nmetadata: {name: two}\ndata: {a: b}\n';
  const headers = { 'content-type': 'application/yaml', accept: 'application/yaml' };
  const answer = await services.admin.request('POST', path, body, headers);
  expect(answer.status).toBe(201);
  const [received, complete] = await trailOf(answer.headers['audit-id']?.toString());
  expect(received?.stage).toBe('RequestReceived');
  expect(received?.responseStatus).toBeUndefined();
  expect(complete?.requestObject).toMatchObject({ metadata: { name: 'two' }, data: { a: 'b' } });
  expect(complete?.responseObject).toMatchObject({ metadata: { namespace: 'web' }, data: { a: 'b' } });
});

test('Request: patches as they came, no answers', async () => {
  const path = '/api/v1/namespaces/web/services';
  await services.admin.ok('POST', path, { metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } });
  const answer = await services.admin.request(
    'PATCH',
    `${path}/s`,
    [{ op: 'add', path: '/metadata/labels', value: { a: 'b' } }],
    { 'content-type': 'application/json-patch+json' },
  );
  const complete = (await trailOf(answer.headers['audit-id']?.toString())).at(-1);
  expect(complete).toMatchObject({ level: 'Request', requestObject: [{ op: 'add' }] });
  expect(complete?.responseObject).toBeUndefined();
});

test('tokens never: of reviews and requests, at whichever level, nor those of clients', async () => {
  const review = { spec: { token: 'ann-token' } };
  const reviews = '/apis/authentication.orch.io/v1/tokenreviews';
  await untilPodsMayRun(services.admin, 'web');
  const answers = [
    await services.admin.request('POST', reviews, review),
    await services.admin.request('POST', '/api/v1/namespaces/web/serviceaccounts/default/token', {}),
    await services.as('bob').request('GET', '/version'),
  ];
  const { token } = (answers[1]!.json() as unknown as { status: { token: string } }).status;
  for (const answer of answers) await trailOf(answer.headers['audit-id']?.toString());
  const text = readFileSync(log, 'utf8');
  for (const word of ['ann-token', 'bob-token', token]) expect(text).not.toContain(word);
});

test('the event of a rejected Secret does not contain its data', async () => {
  const path = '/api/v1/namespaces/web/secrets';
  const patch = ['strategic-merge', 'merge', 'apply'].map((kind) => ({
    method: 'PATCH',
    path: `${path}/s?fieldManager=x`,
    type: kind === 'apply' ? 'application/apply-patch+yaml' : `application/${kind}-patch+json`,
  }));
  const create = { method: 'POST', path, type: 'application/json' };
  const head = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } };
  await services.admin.ok('POST', path, head);
  const bodies = [
    { data: { a: 'hunter2!' } },
    { stringData: { a: 47114711 } },
    { stringData: 'hunter2' },
    { data: ['hunter2'] },
  ];
  const yaml = ['a: *hunter2', 'a: !hunter2 x', 'a: "hunter2', 'a: @hunter2', 'a: %hunter2'].map(
    (line) => `kind: Secret\nstringData:\n  ${line}`,
  );
  const asks = [
    ...[create, ...patch].flatMap((ask) => bodies.map((body) => ({ ...ask, body: { ...head, ...body } }))),
    ...yaml.map((body) => ({ ...create, type: 'application/yaml', body })),
  ];
  for (const { method, path: at, type, body } of asks) {
    const { headers, status } = await services.admin.request(method, at, body, { 'content-type': type });
    expect([body, status >= 400 && status < 500]).toEqual([body, true]);
    const told = JSON.stringify(await trailOf(headers['audit-id']));
    expect([body, told]).toEqual([body, expect.not.stringMatching(/hunter2|47114711/)]);
  }
});

test('refusals: who was refused and why', async () => {
  const answer = await services.as('eve').request('GET', '/api/v1/nodes');
  expect(answer.status).toBe(403);
  const [event] = await trailOf(answer.headers['audit-id']?.toString());
  expect(event).toMatchObject({
    user: { username: 'eve' },
    responseStatus: { code: 403, status: 'Failure', reason: 'Forbidden' },
    annotations: { 'authorization.orch.io/decision': 'forbid' },
  });
});

test('a failed authentication is one event without a user', async () => {
  const client = services.replicas[0]!.client({ token: 'made-up' });
  const answer = await client.request('GET', '/api/v1/nodes');
  client.close();
  const [event] = await trailOf(answer.headers['audit-id']?.toString(), 'ResponseStarted');
  expect(event).toMatchObject({ user: {}, responseStatus: { code: 401, reason: 'Unauthorized' } });
});

test('impersonation: both', async () => {
  const headers = { 'impersonate-user': 'eve' };
  const answer = await services.admin.request('GET', '/api/v1/nodes', undefined, headers);
  const [event] = await trailOf(answer.headers['audit-id']?.toString());
  expect(event).toMatchObject({ user: { username: 'admin' }, impersonatedUser: { username: 'eve' } });
});

test('deprecated versions are annotated', async () => {
  const answer = await services.admin.request('GET', '/apis/batch/v1beta1/cronjobs');
  const [event] = await trailOf(answer.headers['audit-id']?.toString());
  expect(event?.annotations).toMatchObject({
    'orch.io/deprecated': 'true',
    'orch.io/removed-release': '1.25',
  });
});

test('a watch begins and ends, and its events are no bodies', async () => {
  const path = '/api/v1/namespaces/web/configmaps?watch=1&timeoutSeconds=1';
  const answer = await services.admin.request('GET', path);
  const trail = await trailOf(answer.headers['audit-id']?.toString());
  expect(trail.map((event) => event.stage)).toEqual([
    'RequestReceived',
    'ResponseStarted',
    'ResponseComplete',
  ]);
  expect(trail.some((event) => event.responseObject !== undefined)).toBe(false);
});

test('metrics count events and decisions', async () => {
  const { text } = await services.admin.request('GET', '/metrics');
  expect(text).toMatch(/^apiserver_audit_event_total [1-9]/m);
  expect(text).toMatch(/^apiserver_audit_level_total\{level="Metadata"\} [1-9]/m);
});

test('a clean end loses nothing', async () => {
  await services.admin.ok('POST', `${rbac}/clusterroles`, {
    metadata: { name: 'reader' },
    rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['get'] }],
  });
  await services.admin.ok('POST', `${rbac}/clusterrolebindings`, {
    ...binding('dora-reads', 'ClusterRole reader', 'User dora'),
  });
  await until(services.as('dora'), ['GET', '/api/v1/nodes/none'], 404);
  const asked = Array.from({ length: 200 }, () => services.as('dora').get('/api/v1/nodes/none'));
  const ids = (await Promise.all(asked)).map((answer) => answer.headers['audit-id']);
  expect(await services.replicas[0]!.stop()).toBe(0);
  const told = new Set(events().map((event) => event.auditID));
  expect(ids.filter((id) => !told.has(String(id)))).toEqual([]);
  const one = events().find((event) => event.auditID === ids[0]);
  expect(one?.annotations).toEqual({
    'authorization.orch.io/decision': 'allow',
    'authorization.orch.io/reason':
      'RBAC: allowed by ClusterRoleBinding "dora-reads" of ClusterRole "reader" to User "dora"',
  });
});
