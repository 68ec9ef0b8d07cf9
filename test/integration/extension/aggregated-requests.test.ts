/** Requests to an aggregated API as audit sees them, over HTTP/2, past a certificate of a stranger, and at the end. */
import { readFileSync, writeFileSync } from 'node:fs';
import { connect, type ClientHttp2Session, type IncomingHttpHeaders } from 'node:http2';
import { join } from 'node:path';
import { AggregatedServer } from '../../support/aggregated-server.ts';
import { apiServiceMaker, conditionOf, echoed, externalName } from '../../support/aggregation.ts';
import { startEtcdCluster } from '../../support/etcd/cluster.ts';
import { makeAuthority } from '../../support/pki.ts';
import { startReplica, type Replica } from '../../support/replica.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

const [group, version] = ['metrics.k8s.io', 'v1beta1'];
const base = `/apis/${group}/${version}`;
const apiServices = '/apis/apiregistration.k8s.io/v1/apiservices';

let owned: AsyncDisposableStack;
let replica: Replica;
let backend: AggregatedServer;
let auditLog: string;
let apiService: ReturnType<typeof apiServiceMaker>;
let folderPath: string;

beforeAll(async () => {
  await using stack = new AsyncDisposableStack();
  const folder = stack.adopt(await makeTempFolder('requests'), (made) => made.remove());
  folderPath = folder.path;
  const authority = await makeAuthority(folder.path);
  const serving = await authority.server('metrics', ['metrics.kube-system.svc']);
  backend = stack.use(await AggregatedServer.start(serving, authority.ca, { group, version }));
  const policy = join(folder.path, 'policy');
  auditLog = join(folder.path, 'audit.log');
  const rules = [{ level: 'RequestResponse', resources: [{ group }] }, { level: 'None' }];
  writeFileSync(policy, JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules }));
  const etcd = stack.use(await startEtcdCluster({ how: 'process' }));
  const args = [`--audit-policy-file=${policy}`, `--audit-log-path=${auditLog}`];
  replica = stack.use(await startReplica({ etcd, naming: 'kubernetes', args }));
  await replica.admin.ok('POST', '/api/v1/namespaces/kube-system/services', externalName('metrics'));
  apiService = apiServiceMaker(authority.ca);
  await replica.admin.ok('POST', apiServices, apiService([version, group], backend.port));
  await available(`${version}.${group}`);
  owned = stack.move();
}, 60_000);
afterAll(() => owned.disposeAsync());

async function available(name: string): Promise<void> {
  await waitFor(`${name} is available`, async () => {
    const object = await replica.admin.ok('GET', `${apiServices}/${name}`);
    return conditionOf(object) === 'Available True Passed';
  });
}

/** `stage verb resource code` of the events whose URI begins so. */
function audited(uri: string): string[] {
  return readFileSync(auditLog, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as AuditEvent)
    .filter(({ requestURI }) => requestURI.startsWith(uri))
    .map(({ stage, verb, objectRef, responseStatus }) =>
      [stage, verb, `${objectRef?.resource}.${objectRef?.apiGroup}`, responseStatus?.code ?? '-'].join(' '),
    );
}

interface AuditEvent {
  readonly requestURI: string;
  readonly stage: string;
  readonly verb: string;
  readonly objectRef?: { readonly resource: string; readonly apiGroup: string };
  readonly responseStatus?: { readonly code: number };
}

test('audit has requests and watches of the remote group', async () => {
  const of = `nodes.${group}`;
  await replica.admin.ok('GET', `${base}/nodes?one`);
  await waitFor('the request is recorded', () => audited(`${base}/nodes?one`).length === 2);
  expect(audited(`${base}/nodes?one`)).toEqual([
    `RequestReceived list ${of} -`,
    `ResponseComplete list ${of} 200`,
  ]);
  const watch = await replica.admin.watch(`${base}/nodes?two`);
  await waitFor('the watch is recorded', () => audited(`${base}/nodes?two`).length === 2);
  expect(audited(`${base}/nodes?two`)).toEqual([
    `RequestReceived watch ${of} -`,
    `ResponseStarted watch ${of} 200`,
  ]);
  watch.close();
  await waitFor('its end is recorded', () => audited(`${base}/nodes?two`).length === 3);
  expect(audited(`${base}/nodes?two`).at(-1)).toBe(`ResponseComplete watch ${of} 200`);
  await echoed(replica, `${base}/namespaces/default/pods/web/echo`, 'x');
  const echo = `${base}/namespaces/default/pods/web/echo`;
  await waitFor('the connection is recorded', () => audited(echo).length === 2);
  expect(audited(echo)[1]).toBe(`ResponseComplete get pods.${group} 101`);
});

test('HTTP/2: answers, bodies and watches', async () => {
  const { cert, key, authority } = { ...replica.pki.admin, authority: replica.pki.authority };
  const session = connect(replica.url, { ca: authority.ca, cert, key });
  const listed = await ask(session, { ':path': `${base}/nodes` });
  expect([listed.headers[':status'], listed.text]).toEqual([200, expect.stringContaining('NodeMetricsList')]);
  const sent = await ask(session, { ':path': `${base}/nodes`, ':method': 'POST' }, '{"a":1}');
  expect(sent.text).toBe('{"echo":"{\\"a\\":1}"}');
  const watch = session.request({ ':path': `${base}/nodes?watch=true` });
  await waitFor('the server has the watch', () => backend.watches === 1);
  backend.send({ type: 'ADDED' });
  const event = await new Promise<string>((resolve) =>
    watch.once('data', (part: Buffer) => resolve(part.toString())),
  );
  expect(event).toBe('{"type":"ADDED"}\n');
  watch.close();
  await waitFor('the watch has ended', () => backend.watches === 0);
  session.close();
});

async function ask(
  session: ClientHttp2Session,
  headers: Record<string, string>,
  body?: string,
): Promise<{ headers: IncomingHttpHeaders; text: string }> {
  const stream = session.request(headers);
  const head = new Promise<IncomingHttpHeaders>((resolve, reject) => {
    stream.on('response', resolve);
    stream.on('error', reject);
  });
  stream.end(body);
  let text = '';
  for await (const part of stream.setEncoding('utf8')) text += String(part);
  return { headers: await head, text };
}

test('a server with a certificate of another authority is not spoken to', async () => {
  const stranger = await makeAuthority(join(folderPath, 'strangers'), 'strangers');
  const caBundle = Buffer.from(stranger.ca).toString('base64');
  backend.instead = (req, res) => {
    if (!req.url?.startsWith('/apis/strange')) return false;
    res.writeHead(200).end('{}');
    return true;
  };
  const path = '/apis/strange.example.com/v1/things';
  await replica.admin.ok(
    'POST',
    apiServices,
    apiService(['v1', 'strange.example.com'], backend.port, { caBundle }),
  );
  await available('v1.strange.example.com');
  await waitFor('requests are refused', async () => {
    const { status, text } = await replica.admin.get(path);
    return status === 503 && text.includes('error trying to reach service');
  });
  expect(backend.callsTo(path)).toEqual([]);
  const { text } = await replica.admin.get('/metrics');
  const terminations = text
    .split('\n')
    .filter((line) => line.startsWith('apiserver_request_terminations_total{'));
  expect(terminations.join('\n')).toMatch(/code="503".*component="aggregator"\} [1-9]/);
});

test('a stop ends watches of aggregated APIs', async () => {
  const watch = await replica.admin.watch(`${base}/nodes`);
  await waitFor('the server has the watch', () => backend.watches === 1);
  expect(await replica.stop()).toBe(0);
  expect(await watch.next()).toBeUndefined();
  expect(backend.watches).toBe(0);
}, 60_000);
