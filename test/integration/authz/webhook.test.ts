/** The mode Webhook, against a real HTTPS server: what it is asked, how long its answers hold, what its absence means. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { makeServicePki, type ServicePki } from '../../support/replica.ts';
import { WebhookServer, type WebhookAnswer, type WebhookCall } from '../../support/webhook-server.ts';
import { binding, rbac, startServices, until, type Services } from '../../support/authorized-server.ts';

let pki: ServicePki;
let hook: WebhookServer;
let services: Services;
const owned = new AsyncDisposableStack();

beforeAll(async () => {
  pki = owned.use(await makeServicePki());
  hook = owned.use(await WebhookServer.start(pki.server, pki.authority));
  const caller = await pki.authority.client({ commonName: 'the-api' });
  const config = join(pki.folder, 'webhook.kubeconfig');
  writeFileSync(
    config,
    JSON.stringify({
      clusters: [
        {
          name: 'hook',
          cluster: { server: `${hook.url}/ask?a=b`, 'certificate-authority': pki.authority.caFile },
        },
      ],
      users: [{ name: 'api', user: { 'client-certificate': caller.certFile, 'client-key': caller.keyFile } }],
      contexts: [{ name: 'it', context: { cluster: 'hook', user: 'api' } }],
      'current-context': 'it',
    }),
  );
  services = owned.use(
    await startServices(1, [
      '--authorization-mode=Webhook,RBAC',
      `--authorization-webhook-config-file=${config}`,
      '--authorization-webhook-version=v1',
      '--authorization-webhook-cache-unauthorized-ttl=0s',
      // Others would ask the webhook, too.
      '--controllers=namespace',
    ]),
  );
}, 60_000);
afterAll(() => owned.disposeAsync());

const pods = '/api/v1/namespaces/web/pods';
let asked = 0;

/** A path that nobody has asked for, since answers are kept. */
function fresh(): string {
  return `${pods}/pod-${++asked}`;
}

function saying(status: object): (call: WebhookCall) => WebhookAnswer {
  return ({ body }) => ({ body: { ...body, status } });
}

beforeEach(() => {
  hook.calls.length = 0;
});

test('the webhook gets the user and the request, and decides', async () => {
  hook.answer = saying({ allowed: true, reason: 'friend' });
  const path = fresh();
  expect((await services.as('ann').get(path)).status).toBe(404);
  expect(hook.calls).toEqual([
    {
      path: '/ask?a=b',
      peer: 'the-api',
      traceparent: '',
      authorization: '',
      userAgent: 'orch-apiserver',
      body: {
        apiVersion: 'authorization.orch.io/v1',
        kind: 'SubjectAccessReview',
        spec: {
          resourceAttributes: {
            namespace: 'web',
            verb: 'get',
            version: 'v1',
            resource: 'pods',
            name: `pod-${asked}`,
          },
          user: 'ann',
          groups: ['devs', 'system:authenticated'],
          uid: 'uid-ann',
        },
      },
    },
  ]);
  expect((await services.as('ann').get('/logs/x')).status).toBe(404);
  expect(hook.calls[1]?.body['spec']).toMatchObject({
    nonResourceAttributes: { path: '/logs/x', verb: 'get' },
  });
});

test('concurrent requests share a call, and its response is cached', async () => {
  hook.answer = saying({ allowed: true });
  const path = fresh();
  const many = await Promise.all(Array.from({ length: 8 }, () => services.as('ann').get(path)));
  expect(many.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 404));
  expect((await services.as('ann').get(path)).status).toBe(404);
  expect(hook.calls).toHaveLength(1);
  expect((await services.as('bob').get(path)).status).toBe(404);
  expect(hook.calls).toHaveLength(2);
});

test('masters and open paths are none of its matters', async () => {
  hook.answer = saying({ allowed: false, denied: true });
  expect((await services.as('root').get(pods)).status).toBe(200);
  expect((await services.as('bob').get('/healthz')).status).toBe(200);
  expect(hook.calls).toEqual([]);
});

test('without an opinion the next authorizer decides; a denial is final', async () => {
  const { admin, as } = services;
  await admin.ok(
    'POST',
    `${rbac}/clusterrolebindings`,
    binding('carl', 'ClusterRole cluster-admin', 'User carl'),
  );
  hook.answer = saying({ allowed: false, reason: 'never heard of' });
  await until(as('carl'), ['GET', pods], 200);
  const bob = await as('bob').get(fresh());
  expect([bob.status, bob.text]).toEqual([
    403,
    expect.stringContaining('in the namespace \\"web\\": never heard of'),
  ]);
  hook.answer = saying({ allowed: false, denied: true, reason: 'banned' });
  const carl = await as('carl').get(fresh());
  expect([carl.status, carl.text]).toEqual([403, expect.stringContaining(': banned')]);
});

test('errors that pass are tried again', async () => {
  let failures = 2;
  hook.answer = (call) => (failures-- > 0 ? { status: 503 } : saying({ allowed: true })(call));
  expect((await services.as('ann').get(fresh())).status).toBe(404);
  expect(hook.calls).toHaveLength(3);
});

test.each([
  ['no review', { body: 'what?' }],
  ['a refusal to answer', { status: 400 }],
  ['a contradiction', { body: { status: { allowed: true, denied: true } } }],
])(
  '%s is no opinion: others may allow, otherwise it is an internal error of the service, and it is not kept',
  async (_name, answer) => {
    hook.answer = () => answer;
    expect((await services.as('carl').get(fresh())).status).toBe(404);
    const path = fresh();
    const refused = await services.as('bob').get(path);
    expect([refused.status, refused.text]).toEqual([500, expect.not.stringContaining('answer')]);
    hook.answer = saying({ allowed: true });
    expect((await services.as('bob').get(path)).status).toBe(404);
  },
);

test('a webhook that fails at every request has a few lines in the log, whoever asks', async () => {
  hook.answer = () => ({ status: 400, body: 'w'.repeat(500) });
  const lines = (text: string): number => services.replicas[0]?.logs().split(`"msg":"${text}"`).length ?? 0;
  const counts = (): number[] =>
    ['the authorization webhook could not be called', 'a request failed'].map(lines);
  const before = counts();
  const bob = services.as('bob');
  for (let i = 0; i < 30; i += 1) expect((await bob.get(fresh())).status).toBe(500);
  const after = counts();
  // One more than there are lines.
  expect(Math.min(...after)).toBeGreaterThan(1);
  expect(Math.max(...after.map((count, i) => count - (before[i] ?? 0)))).toBeLessThan(10);
});
