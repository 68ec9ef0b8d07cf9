/** Audit events at a real HTTPS webhook: in batches, again after errors, none lost at a clean end. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { makeServicePki } from '../../support/replica.ts';
import { waitFor } from '../../support/wait-for.ts';
import { WebhookServer } from '../../support/webhook-server.ts';
import { startServices, type Services } from '../../support/authorized-server.ts';

const owned = new AsyncDisposableStack();
let hook: WebhookServer;
let services: Services;

beforeAll(async () => {
  const pki = owned.use(await makeServicePki());
  hook = owned.use(await WebhookServer.start(pki.server, pki.authority));
  const config = join(pki.folder, 'audit.kubeconfig');
  const cluster = { server: `${hook.url}/audit`, 'certificate-authority': pki.authority.caFile };
  writeFileSync(
    config,
    JSON.stringify({
      clusters: [{ name: 'hook', cluster }],
      users: [{ name: 'api', user: { token: 'word' } }],
      contexts: [{ name: 'it', context: { cluster: 'hook', user: 'api' } }],
      'current-context': 'it',
    }),
  );
  const policy = join(pki.folder, 'policy.yaml');
  writeFileSync(
    policy,
    'apiVersion: audit.orch.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules: [{level: Metadata, users: [ann]}]\n',
  );
  services = owned.use(
    await startServices(1, [
      `--audit-policy-file=${policy}`,
      `--audit-webhook-config-file=${config}`,
      '--audit-webhook-batch-max-wait=100ms',
      '--audit-webhook-initial-backoff=50ms',
    ]),
  );
}, 60_000);
afterAll(() => owned.disposeAsync());

const idsOf = (calls: WebhookServer['calls']): Set<string> =>
  new Set(calls.flatMap(({ body }) => (body['items'] as { auditID: string }[]).map((item) => item.auditID)));

test('a batch that fails is sent again; a clean end sends what waits', async () => {
  hook.answer = () => ({ status: hook.calls.length < 3 ? 503 : 200 });
  const first = await services.as('ann').get('/version');
  await waitFor('the third attempt', () => hook.calls.length === 3);
  expect(hook.calls[2]).toMatchObject({
    path: '/audit',
    authorization: 'Bearer word',
    body: { kind: 'EventList', apiVersion: 'audit.orch.io/v1' },
  });
  expect([...idsOf(hook.calls)]).toEqual([first.headers['audit-id']]);
  const answers = await Promise.all(Array.from({ length: 100 }, () => services.as('ann').get('/version')));
  expect(await services.replicas[0]!.stop()).toBe(0);
  const told = idsOf(hook.calls);
  expect(answers.filter(({ headers }) => !told.has(String(headers['audit-id'])))).toEqual([]);
});
