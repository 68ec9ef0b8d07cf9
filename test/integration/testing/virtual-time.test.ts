/** A control plane whose time is moved forward. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import {
  startControlPlane,
  type ApiObject,
  type ControlPlane,
  type WatchEvent,
} from '../../../src/testing/index.ts';
import { makeServicePki } from '../../support/replica.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { WebhookServer } from '../../support/webhook-server.ts';
import { waitFor, within } from '../../support/wait-for.ts';

const maps = { apiVersion: 'v1', kind: 'ConfigMap' } as const;
const map = (name: string) => ({ ...maps, metadata: { name } });
const event = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name },
  reason: 'Tired',
  involvedObject: { kind: 'ConfigMap', name, namespace: 'default' },
});
const hourMs = 3_600_000;

let controlPlane: ControlPlane;

beforeAll(async () => {
  controlPlane = await startControlPlane({
    clock: 'virtual',
    controllers: ['*', 'tokencleaner'],
    flags: { 'enable-bootstrap-token-auth': true, 'event-ttl': '2m' },
    users: [{ name: 'jane', groups: ['system:masters'] }],
  });
});

afterAll(async () => {
  await controlPlane.stop();
});

afterEach(async () => {
  await controlPlane.reset();
});

function createdAt({ metadata }: Pick<ApiObject, 'metadata'>): number {
  return Date.parse(String(metadata.creationTimestamp));
}

test('an hour passes at once, and what is created is of the new time', async () => {
  const before = controlPlane.now().getTime();
  const startedAt = performance.now();
  const now = await controlPlane.advance('1h');
  const tookMs = performance.now() - startedAt;
  expect(now.getTime() - before).toBeGreaterThanOrEqual(hourMs);
  expect(now.getTime() - before).toBeLessThan(hourMs + tookMs + 10);
  const created = await controlPlane.admin.apply<ApiObject>({ ...map('one'), data: { level: 'low' } });
  expect(createdAt(created)).toBeGreaterThanOrEqual(before + hourMs - 1_000);
  const [{ time = '' } = {}] =
    (created.metadata as { managedFields?: { time?: string }[] }).managedFields ?? [];
  expect(Date.parse(time)).toBe(createdAt(created));
  const large = await controlPlane.admin.create<ApiObject>({
    ...map('two'),
    data: { text: 'x'.repeat(600_000) },
  });
  expect(createdAt(large)).toBeGreaterThanOrEqual(before + hourMs - 1_000);
});

test('events expire, and watches get DELETED', async () => {
  const stopping = new AbortController();
  const seen: WatchEvent<ApiObject>[] = [];
  await controlPlane.admin.create(event('old'));
  const watching = (async () => {
    const options = { namespace: 'default', signal: stopping.signal };
    for await (const each of controlPlane.admin.watch({ apiVersion: 'v1', kind: 'Event' }, options))
      seen.push(each);
  })();
  await waitFor('the event', () => seen.length > 0);
  await controlPlane.advance('90s');
  await controlPlane.admin.create(event('new'));
  await controlPlane.advance('100s');
  expect(await controlPlane.admin.find(event('old'))).toBeUndefined();
  expect(await controlPlane.admin.find(event('new'))).toBeDefined();
  await waitFor('the end of the event', () => seen.some(({ type }) => type === 'DELETED'));
  stopping.abort();
  await watching;
});

test('watches end when their time is over; requests under way do not', async () => {
  const selected = 'metadata.name=kube-root-ca.crt';
  const watch = async (seconds: number): Promise<void> => {
    await controlPlane.admin.request({
      method: 'GET',
      path: `/api/v1/namespaces/default/configmaps?watch=true&fieldSelector=${selected}&timeoutSeconds=${String(seconds)}`,
    });
  };
  const open = async (): Promise<number> => {
    const text = String(await controlPlane.admin.request({ method: 'GET', path: '/metrics' }));
    const numbers = text.matchAll(/^apiserver_registered_watchers\{.*kind="ConfigMap".*\} (\d+)$/gm);
    return [...numbers].reduce((sum, [, number]) => sum + Number(number), 0);
  };
  const before = await open();
  const short = watch(300);
  let isOver = false;
  const long = watch(7_200).finally(() => {
    isOver = true;
  });
  await waitFor('both watches', async () => (await open()) === before + 2);
  const requests = Array.from({ length: 50 }, (_, i) =>
    controlPlane.admin.create(map(`under-way-${String(i)}`)),
  );
  await controlPlane.advance('10m');
  expect(await Promise.all(requests)).toHaveLength(50);
  await within('the short watch to end', 5_000, short);
  expect(isOver).toBe(false);
  await controlPlane.advance('2h');
  await within('the long watch to end', 5_000, long);
});

test('a request that waits for a webhook outlives an hour, and the audit log has the new time', async () => {
  await using stack = new AsyncDisposableStack();
  const folder = await makeTempFolder('virtual-time');
  stack.defer(() => folder.remove());
  const [policy, log] = [join(folder.path, 'policy.yaml'), join(folder.path, 'audit.log')];
  writeFileSync(policy, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{ level: Metadata }]\n');
  const pki = stack.use(await makeServicePki());
  const identity = await pki.authority.server('hook', ['hook.web.svc']);
  const server = stack.use(await WebhookServer.start(identity, pki.authority));
  const released = Promise.withResolvers<undefined>();
  server.answer = async ({ body }) => {
    await released.promise;
    const { uid } = body['request'] as { uid: string };
    return {
      body: { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, allowed: true } },
    };
  };
  const flags = { 'audit-policy-file': policy, 'audit-log-path': log };
  const other = stack.use(await startControlPlane({ clock: 'virtual', flags }));
  await other.admin.create({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'slow' },
    webhooks: [
      {
        name: 'slow.shop.test',
        clientConfig: { url: server.url, caBundle: Buffer.from(pki.authority.ca).toString('base64') },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'default' } },
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  });
  const creating = other.admin.create(map('held'));
  await waitFor('the webhook to be called', () => server.calls.length === 1);
  const now = await other.advance('1h');
  released.resolve(undefined);
  expect(await creating).toMatchObject(map('held'));
  await other.admin.create(map('next'));
  const audited = (): Record<string, string>[] =>
    readFileSync(log, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, string>);
  await waitFor('the audit log', () => JSON.stringify(audited()).includes('"name":"next"'));
  const last = audited().find((each) => JSON.stringify(each).includes('"name":"next"'));
  expect(Date.parse(String(last?.['requestReceivedTimestamp']))).toBeGreaterThanOrEqual(
    now.getTime() - 1_000,
  );
});

test('tokens of service accounts expire', async () => {
  const { status } = (await controlPlane.admin.request({
    method: 'POST',
    path: '/api/v1/namespaces/default/serviceaccounts/default/token',
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 600 } },
  })) as { status: { token: string; expirationTimestamp: string } };
  const expiresAt = Date.parse(status.expirationTimestamp);
  expect(Math.abs(expiresAt - controlPlane.now().getTime() - 600_000)).toBeLessThan(60_000);
  const review = async (): Promise<unknown> => {
    const body = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      spec: { token: status.token },
    };
    const path = '/apis/authentication.k8s.io/v1/tokenreviews';
    return ((await controlPlane.admin.request({ method: 'POST', path, body })) as ApiObject).status;
  };
  expect(await review()).toMatchObject({ authenticated: true });
  await controlPlane.advance('11m');
  expect(await review()).not.toHaveProperty('authenticated');
});

test('bootstrap tokens expire, and their cleaner deletes them', async () => {
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'bootstrap-token-abcdef', namespace: 'kube-system' },
    type: 'bootstrap.kubernetes.io/token',
    stringData: {
      'token-id': 'abcdef',
      'token-secret': '0123456789abcdef',
      'usage-bootstrap-authentication': 'true',
      expiration: new Date(controlPlane.now().getTime() + hourMs).toISOString(),
    },
  };
  await controlPlane.admin.create(secret);
  await controlPlane.advance('59m');
  expect(await controlPlane.admin.find(secret)).toBeDefined();
  await controlPlane.advance('2m');
  expect(await controlPlane.admin.find(secret)).toBeUndefined();
});

test('the controllers go on, in the same term', async () => {
  const lease = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'orch-controller-manager', namespace: 'kube-system' },
  };
  const before = await controlPlane.admin.get(lease);
  await controlPlane.advance('24h');
  const after = await controlPlane.admin.get(lease);
  expect(after.spec).toMatchObject({
    holderIdentity: (before.spec as { holderIdentity: string }).holderIdentity,
    leaseTransitions: (before.spec as { leaseTransitions: number }).leaseTransitions,
  });
  expect(await controlPlane.logs()).not.toMatch(
    /the lease could not be|stream is considered dead|leader work failed/,
  );
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'after' } };
  await controlPlane.admin.create(namespace);
  await controlPlane.settled();
  const account = {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'default', namespace: 'after' },
  };
  expect(await controlPlane.admin.find(account)).toBeDefined();
});

test('a fork goes on from the same time; a reset does not turn it back', async () => {
  const before = controlPlane.now().getTime();
  await controlPlane.advance('3h');
  await using fork = await controlPlane.fork();
  expect(fork.now().getTime() - before).toBeGreaterThanOrEqual(3 * hourMs);
  await fork.advance('10h');
  expect(controlPlane.now().getTime() - before).toBeLessThan(4 * hourMs);
  await controlPlane.reset();
  expect(controlPlane.now().getTime() - before).toBeGreaterThanOrEqual(3 * hourMs);
  const created = await fork.admin.create<ApiObject>(map('there'));
  expect(createdAt(created) - before).toBeGreaterThanOrEqual(13 * hourMs - 1_000);
});

test('after ten years all who may use it still may; a fork may, too', async () => {
  await using other = await startControlPlane({
    clock: 'virtual',
    users: [{ name: 'jane', groups: ['system:masters'] }],
  });
  const now = await other.advance('87600h');
  expect(now.getTime() - Date.now()).toBeGreaterThanOrEqual(87_599 * hourMs);
  await other.admin.create(map('late'));
  await other.settled();
  expect((await other.as('jane').get(map('late'))).metadata.name).toBe('late');
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const path = '/api/v1/namespaces/default/serviceaccounts/default/token';
  const { status } = (await other.admin.request({ method: 'POST', path, body })) as {
    status: { token: string; expirationTimestamp: string };
  };
  expect(Date.parse(status.expirationTimestamp)).toBeGreaterThan(now.getTime());
  await using fork = await other.fork();
  expect(await fork.admin.get(map('late'))).toMatchObject(map('late'));
});

test('client certificates expire, though TLS has the time of the machine', async () => {
  await using other = await startControlPlane({
    clock: 'virtual',
    users: [{ name: 'jane', groups: ['system:masters'] }],
  });
  await other.advance('876001h');
  expect((await other.as('jane').list(maps)).items.length).toBeGreaterThan(0);
  await expect(other.admin.list(maps)).rejects.toMatchObject({ code: 401 });
});

test('what cannot be advanced says why', async () => {
  await expect(controlPlane.advance('soon')).rejects.toThrow('"soon" is no duration');
  await expect(controlPlane.advance('-1h')).rejects.toThrow('"-1h" is no duration');
  for (const given of [undefined, null, 60, {}])
    await expect(controlPlane.advance(given as never)).rejects.toThrow('is no duration');
  await using other = await startControlPlane();
  await expect(other.advance('1h')).rejects.toThrow("start it with `clock: 'virtual'`");
  expect(Math.abs(other.now().getTime() - Date.now())).toBeLessThan(1_000);
});
