/** Traces of a replica as a real collector gets them: spans and their order, who continues whose trace, and collectors that fail. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allowing, rule, type Asked } from '../../support/admission-webhook.ts';
import { AggregatedServer } from '../../support/aggregated-server.ts';
import { apiServiceMaker, conditionOf, externalName } from '../../support/aggregation.ts';
import { shareEtcd } from '../../support/etcd/shared.ts';
import { freePort } from '../../support/free-port.ts';
import { makeServicePki, startReplica, type Replica, type ServicePki } from '../../support/replica.ts';
import { TraceCollector, type CollectedSpan } from '../../support/trace-collector.ts';
import { waitFor } from '../../support/wait-for.ts';
import { WebhookServer } from '../../support/webhook-server.ts';

const [group, version] = ['metrics.k8s.io', 'v1beta1'];
const maps = '/api/v1/namespaces/default/configmaps';
const owned = new AsyncDisposableStack();
let collector: TraceCollector;
let hook: WebhookServer;
let backend: AggregatedServer;
let pki: ServicePki;
let replica: Replica;

beforeAll(async () => {
  collector = owned.use(await TraceCollector.start());
  pki = owned.use(await makeServicePki());
  hook = owned.use(await WebhookServer.start(pki.server, pki.authority));
  const serving = await pki.authority.server('metrics', ['metrics.kube-system.svc']);
  backend = owned.use(await AggregatedServer.start(serving, pki.authority.ca, { group, version }));
  const tokens = join(pki.folder, 'tokens.csv');
  writeFileSync(tokens, 'ann-token,ann,1,"lab,system:authenticated"\n');
  replica = await traced(collector.endpoint, 1_000_000, [`--token-auth-file=${tokens}`]);
}, 60_000);
afterAll(() => owned.disposeAsync());

/** A replica that traces so many of a million requests. */
async function traced(
  endpoint: string,
  samplingRatePerMillion: number,
  more: readonly string[] = [],
): Promise<Replica> {
  const file = join(pki.folder, `tracing-${endpoint.replace(/\W/g, '-')}-${samplingRatePerMillion}.yaml`);
  const head = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'TracingConfiguration' };
  writeFileSync(file, JSON.stringify({ ...head, endpoint, samplingRatePerMillion }));
  const etcd = owned.use(await shareEtcd());
  const args = ['--emulated-release=1.36', `--tracing-config-file=${file}`, ...more];
  return owned.use(await startReplica({ etcd, pki, naming: 'kubernetes', prefix: etcd.prefix, args }));
}

function ids(last: number): { readonly trace: string; readonly parent: string; readonly header: string } {
  const [trace, parent] = [`${'0'.repeat(30)}${last}`, `${'0'.repeat(14)}${last}`];
  return { trace, parent, header: `00-${trace}-${parent}-01` };
}

function one(spans: readonly CollectedSpan[], name: string): CollectedSpan {
  const found = spans.filter((span) => span.name === name);
  expect([name, found.length]).toEqual([name, 1]);
  return found[0] as CollectedSpan;
}

test('a write with its steps, under the span of a privileged client; webhooks get the trace', async () => {
  const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
  hook.answer = ({ body }) => {
    const answer = allowing(body['request'] as Asked);
    return { body: { ...(answer.body as object), apiVersion: 'admission.k8s.io/v1' } };
  };
  const caBundle = Buffer.from(pki.authority.ca).toString('base64');
  await replica.admin.ok('POST', path, {
    metadata: { name: 'test' },
    webhooks: [
      {
        ...{ name: 'check.example.com', rules: [rule('configmaps')], sideEffects: 'None' },
        clientConfig: { url: `${hook.url}/check`, caBundle },
        admissionReviewVersions: ['v1'],
      },
    ],
  });
  await replica.admin.ok('GET', `${path}/test`);
  const { trace, parent, header } = ids(11);
  const headers = { traceparent: header, 'audit-id': 'write-1', 'content-type': 'application/json' };
  const body = { metadata: { name: 'seen', namespace: 'default' } };
  expect((await replica.admin.request('POST', maps, body, headers)).status).toBe(201);
  await replica.admin.request('DELETE', `${path}/test`);

  const root = 'POST /api/v1/namespaces/{:namespace}/configmaps';
  const spans = await collector.trace(trace, root, 'etcdserverpb.KV/Txn', 'HTTP POST');
  const served = one(spans, root);
  expect(served).toMatchObject({ parentId: parent, kind: 2, isError: false, links: [] });
  expect(served.attributes).toMatchObject({
    ...{ 'audit-id': 'write-1', 'http.request.method': 'POST', 'http.target': maps },
    ...{ 'http.response.status_code': 201, 'url.scheme': 'https', 'network.peer.address': '127.0.0.1' },
  });
  expect(served.resource).toMatchObject({ 'service.name': 'apiserver' });
  const create = one(spans, 'Create');
  for (const name of ['authentication', 'impersonation', 'priorityandfairness', 'authorization', 'Create'])
    expect([name, one(spans, name).parentId]).toEqual([name, served.spanId]);
  expect(one(spans, 'admission admit').parentId).toBe(create.spanId);
  const validation = one(spans, 'admission validate');
  expect(validation.parentId).toBe(create.spanId);
  const call = one(spans, 'Call validating webhook');
  expect(call).toMatchObject({ parentId: validation.spanId, attributes: { webhook: 'check.example.com' } });
  const post = one(spans, 'HTTP POST');
  expect(post).toMatchObject({ parentId: call.spanId, kind: 3 });
  expect(post.attributes).toMatchObject({
    'url.full': `${hook.url}/check`,
    'http.response.status_code': 200,
  });
  // Controllers write ConfigMaps at the same time.
  const asked = hook.calls.find((one) => (one.body['request'] as { name?: string }).name === 'seen');
  expect(asked?.traceparent).toBe(`00-${trace}-${post.spanId}-01`);
  const txn = spans.filter(({ name }) => name === 'etcdserverpb.KV/Txn');
  expect(txn.map(({ parentId }) => parentId)).toContain(create.spanId);
  for (const span of spans) {
    expect(span.end).toBeGreaterThanOrEqual(span.start);
    expect([span.name, span.start >= served.start]).toEqual([span.name, true]);
  }
});

test('another client begins a trace of its own that links to what it sent; credentials are not in it', async () => {
  const client = replica.client({ token: 'ann-token' });
  const { trace, header } = ids(12);
  const path = '/version?key=topsecret&timeout=5s';
  const headers = { traceparent: header, 'audit-id': 'ann-1', cookie: 'session=topsecret' };
  expect((await client.request('GET', path, undefined, headers)).status).toBe(200);
  client.close();
  const span = await collector.span('audit-id', 'ann-1');
  expect(span).toMatchObject({ name: 'GET', parentId: '', links: [trace] });
  expect(span.traceId).not.toBe(trace);
  expect(span.attributes['http.target']).toBe('/version?key=_&timeout=5s');
  expect(JSON.stringify(collector.spans)).not.toMatch(/ann-token|topsecret/);
});

test('refused credentials make no trace', async () => {
  const client = replica.client({ token: 'wrong' });
  expect((await client.request('GET', maps, undefined, { 'audit-id': 'wrong-1' })).status).toBe(401);
  client.close();
  await replica.admin.request('GET', maps, undefined, { 'audit-id': 'after-wrong' });
  await collector.span('audit-id', 'after-wrong');
  expect(collector.spans.filter(({ attributes }) => attributes['audit-id'] === 'wrong-1')).toEqual([]);
});

test('a server of an aggregated API gets the trace of the proxy', async () => {
  await replica.admin.ok('POST', '/api/v1/namespaces/kube-system/services', externalName('metrics'));
  const apiServices = '/apis/apiregistration.k8s.io/v1/apiservices';
  await replica.admin.ok(
    'POST',
    apiServices,
    apiServiceMaker(pki.authority.ca)([version, group], backend.port),
  );
  await waitFor('the API is available', async () => {
    const object = await replica.admin.ok('GET', `${apiServices}/${version}.${group}`);
    return conditionOf(object) === 'Available True Passed';
  });
  const { trace, header } = ids(13);
  const headers = { traceparent: header };
  await replica.admin.request('GET', `/apis/${group}/${version}/nodes`, undefined, headers);
  const spans = await collector.trace(trace, `GET /apis/${group}/${version}/nodes`, 'HTTP GET');
  const proxied = one(spans, 'HTTP GET');
  expect(proxied.parentId).toBe(one(spans, 'List').spanId);
  const call = backend.calls.find(({ url, headers: seen }) => url.endsWith('/nodes') && seen['traceparent']);
  expect(call?.headers['traceparent']).toBe(`00-${trace}-${proxied.spanId}-01`);
});

test('a watch is traced when it ends, and a stop sends what is left', async () => {
  const own = await traced(collector.endpoint, 1_000_000);
  const { trace, header } = ids(14);
  const answer = own.admin.request('GET', `${maps}?watch=1&timeoutSeconds=600`, undefined, {
    traceparent: header,
  });
  const answered = answer.then(
    ({ status }) => status,
    () => 0,
  );
  await waitFor('the watch is open', async () => {
    const { text } = await own.admin.get('/metrics');
    return /apiserver_longrunning_(?:requests|gauge)\{[^}]*resource="configmaps"[^}]*\} 1/.test(text);
  });
  await own.stop();
  await answered;
  const spans = await collector.trace(trace, 'GET /api/v1/namespaces/{:namespace}/configmaps');
  expect(one(spans, 'Watch').attributes).toEqual({});
});

test('without a rate only what a privileged client samples is recorded', async () => {
  const own = await traced(collector.endpoint, 0);
  const { trace, header } = ids(15);
  const quiet = { traceparent: header.replace(/01$/, '00'), 'audit-id': 'quiet' };
  await own.admin.request('GET', maps, undefined, quiet);
  await own.admin.request('GET', maps, undefined, { 'audit-id': 'untraced' });
  await own.admin.request('GET', maps, undefined, { traceparent: header });
  await own.stop();
  await collector.trace(trace, 'GET /api/v1/namespaces/{:namespace}/configmaps');
  const seen = collector.spans.map(({ attributes }) => attributes['audit-id']);
  expect(seen.filter((id) => id === 'quiet' || id === 'untraced')).toEqual([]);
});

test('a collector that is silent, or away, delays neither requests nor the stop', async () => {
  const silent = owned.use(await TraceCollector.start({ answers: false }));
  const away = `127.0.0.1:${await freePort()}`;
  for (const endpoint of [silent.endpoint, away]) {
    const own = await traced(endpoint, 1_000_000);
    // More than the queue of spans holds.
    for (let round = 0; round < 40; round += 1)
      await Promise.all(Array.from({ length: 20 }, () => own.admin.ok('GET', maps)));
    // Within its time: it does not end by a kill.
    expect(await own.stop()).toBe(0);
    expect(own.logs()).not.toMatch(/"level":"(?:error|fatal)"|unhandled/i);
  }
  expect(silent.exports).toBeGreaterThan(0);
}, 120_000);
