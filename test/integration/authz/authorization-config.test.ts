/** --authorization-config from outside: several real webhooks with conditions and failure policies, and reload while running. */
import { createHash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startServices, type Services } from '../../support/authorized-server.ts';
import { makeServicePki, type ServicePki } from '../../support/replica.ts';
import { runToEnd } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';
import { WebhookServer } from '../../support/webhook-server.ts';

const head = { apiVersion: 'apiserver.config.orch.io/v1', kind: 'AuthorizationConfiguration' };
let pki: ServicePki;
let guard: WebhookServer;
let friend: WebhookServer;
let services: Services;
let file: string;
const owned = new AsyncDisposableStack();

beforeAll(async () => {
  pki = owned.use(await makeServicePki());
  guard = owned.use(await WebhookServer.start(pki.server, pki.authority));
  friend = owned.use(await WebhookServer.start(pki.server, pki.authority));
  const policyFile = write('policies.json', {
    ...{ apiVersion: 'abac.authorization.orch.io/v1beta1', kind: 'Policy' },
    spec: { user: 'bob', namespace: 'lab', resource: 'pods', readonly: true },
  });
  file = write('config.json', { ...head, authorizers: authorizers() });
  services = owned.use(
    await startServices(1, [
      ...['--emulated-release=1.36', `--authorization-config=${file}`],
      `--authorization-policy-file=${policyFile}`,
      // Others would ask the webhooks, too.
      '--controllers=namespace',
    ]),
  );
}, 60_000);
afterAll(() => owned.disposeAsync());

beforeEach(() => {
  for (const hook of [guard, friend]) {
    hook.calls.length = 0;
    hook.answer = ({ body }) => ({ body: { ...body, status: { allowed: hook === friend } } });
  }
});

/** Replaced in one step, so that no half of it is ever read. */
function write(name: string, content: object): string {
  const path = join(pki.folder, name);
  writeFileSync(`${path}.new`, JSON.stringify(content));
  renameSync(`${path}.new`, path);
  return path;
}

function webhook(name: string, hook: WebhookServer, more: object): object {
  const kubeConfigFile = write(`${name}.kubeconfig`, {
    clusters: [{ name, cluster: { server: hook.url, 'certificate-authority': pki.authority.caFile } }],
    users: [{ name, user: {} }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  });
  return {
    ...{ type: 'Webhook', name },
    webhook: {
      ...{ timeout: '2s', subjectAccessReviewVersion: 'v1', matchConditionSubjectAccessReviewVersion: 'v1' },
      connectionInfo: { type: 'KubeConfigFile', kubeConfigFile },
      ...{ cacheAuthorizedRequests: false, cacheUnauthorizedRequests: false },
      ...more,
    },
  };
}

/** A guard that is asked about secrets, and a friend that is asked what ann may do in `web`. */
function authorizers(expression = "request.resourceAttributes.namespace == 'web'"): object[] {
  return [
    webhook('guard', guard, {
      failurePolicy: 'Deny',
      matchConditions: [
        { expression: 'has(request.resourceAttributes)' },
        { expression: "request.resourceAttributes.resource == 'secrets'" },
      ],
    }),
    webhook('friend', friend, {
      failurePolicy: 'NoOpinion',
      matchConditions: [
        { expression: "request.user == 'ann' && has(request.resourceAttributes)" },
        { expression },
      ],
    }),
    { type: 'ABAC', name: 'abac' },
    { type: 'RBAC', name: 'rbac' },
  ];
}

async function statusOf(name: string, path: string): Promise<number> {
  return (await services.as(name).get(path)).status;
}

const pods = (namespace: string): string => `/api/v1/namespaces/${namespace}/pods`;
const secrets = (namespace: string): string => `/api/v1/namespaces/${namespace}/secrets`;

test('webhooks are asked in order, where their conditions hold', async () => {
  expect(await statusOf('ann', pods('web'))).toBe(200);
  expect([guard.calls.length, friend.calls.length]).toEqual([0, 1]);
  expect(await statusOf('ann', secrets('web'))).toBe(200);
  expect([guard.calls.length, friend.calls.length]).toEqual([1, 2]);
  expect(await statusOf('bob', pods('web'))).toBe(403);
  expect(await statusOf('ann', pods('api'))).toBe(403);
  expect([guard.calls.length, friend.calls.length]).toEqual([1, 2]);
  guard.answer = ({ body }) => ({
    body: { ...body, status: { allowed: false, denied: true, reason: 'locked' } },
  });
  const refused = await services.as('ann').get(secrets('web'));
  expect(refused.status).toBe(403);
  expect(String(refused.body)).toContain('locked');
  expect(friend.calls).toHaveLength(2);
});

test('decisions and conditions of each authorizer are counted', async () => {
  guard.answer = ({ body }) => ({ body: { ...body, status: { allowed: false, denied: true } } });
  await statusOf('ann', pods('web'));
  await statusOf('ann', secrets('web'));
  expect(await statusOf('bob', '/api')).toBe(200);
  const { text } = await services.admin.get('/metrics');
  const figure = (metric: string, labels: string): number =>
    Number(new RegExp(`^${metric}\\{${labels}\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
  const decisions = 'apiserver_authorization_decisions_total';
  expect(figure(decisions, 'type="Webhook",name="guard",decision="denied"')).toBeGreaterThan(0);
  expect(figure(decisions, 'type="Webhook",name="friend",decision="allowed"')).toBeGreaterThan(0);
  expect(figure(decisions, 'type="RBAC",name="rbac",decision="allowed"')).toBeGreaterThan(0);
  expect(figure(decisions, 'type="RBAC",name="rbac",decision="denied"')).toBe(0);
  const conditions = 'apiserver_authorization_match_condition';
  expect(figure(`${conditions}_exclusions_total`, 'type="Webhook",name="guard"')).toBeGreaterThan(0);
  expect(figure(`${conditions}_evaluation_errors_total`, 'type="Webhook",name="guard"')).toBe(0);
  expect(figure(`${conditions}_evaluation_seconds_count`, 'type="Webhook",name="guard"')).toBeGreaterThan(1);
  expect(text).toMatch(/^apiserver_cel_compilation_duration_seconds_count [1-9]/m);
  expect(text).toMatch(/^apiserver_cel_evaluation_duration_seconds_count [1-9]/m);
});

test('a webhook that fails denies or has no opinion, as its policy says', async () => {
  guard.answer = () => ({ status: 400 });
  const denied = await services.as('ann').get(secrets('web'));
  expect(denied.status).toBe(403);
  expect(String(denied.body)).toContain('could not decide');
  expect(friend.calls).toHaveLength(0);
  friend.answer = () => ({ status: 400 });
  expect(await statusOf('ann', pods('web'))).toBe(500);
});

test('one that hangs is given up after its timeout', async () => {
  const hung = Promise.withResolvers<{ status: number }>();
  guard.answer = () => hung.promise;
  try {
    expect(await statusOf('ann', secrets('web'))).toBe(403);
    expect(guard.calls).toHaveLength(1);
  } finally {
    hung.resolve({ status: 500 });
  }
});

test('policies of a file are among them', async () => {
  expect(await statusOf('bob', pods('lab'))).toBe(200);
  expect(await statusOf('bob', secrets('lab'))).toBe(403);
});

test('a path asks no webhook whose conditions are about resources', async () => {
  expect(await statusOf('ann', '/logs/x')).toBe(403);
  expect([guard.calls.length, friend.calls.length]).toEqual([0, 0]);
});

/** The hashes of files that are told to be in use. */
async function hashesInUse(): Promise<string[]> {
  const { body } = await services.admin.request('GET', '/metrics');
  const info = /authorization_config_controller_last_config_info\{[^}]*[{,]hash="sha256:(\w+)"[^}]*\} 1/g;
  return [...String(body).matchAll(info)].map(([, hash]) => hash ?? '');
}

const hashOf = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

test('a changed file takes effect; a bad one, or other modes, leave what was', async () => {
  const file = join(pki.folder, 'config.json');
  const before = hashOf(file);
  await waitFor('the hash of the file', async () => (await hashesInUse()).join() === before);
  const reloads = async (status: string): Promise<boolean> => {
    const { body } = await services.admin.request('GET', '/metrics');
    return String(body).includes(
      `apiserver_authorization_config_controller_automatic_reloads_total{status="${status}"`,
    );
  };
  write('config.json', { ...head, authorizers: [{ type: 'AlwaysAllow', name: 'all' }] });
  await waitFor('the failure', () => reloads('failure'));
  expect(await statusOf('bob', pods('web'))).toBe(403);
  expect(await statusOf('ann', pods('web'))).toBe(200);

  // Half a file, and one whose conditions do not compile: told in the log, and counted.
  const failures = async (): Promise<number> => {
    const { body } = await services.admin.request('GET', '/metrics');
    const total = /authorization_config_controller_automatic_reloads_total\{status="failure"[^}]*\} (\d+)/;
    return Number(total.exec(String(body))?.[1]);
  };
  for (const [text, problem] of [
    ['{"apiVersion": "apiserver.config.orch.io/v1", "kind": ', 'config.json'],
    [JSON.stringify({ ...head, authorizers: authorizers('request.nobody == 1') }), 'nobody'],
  ] as const) {
    const counted = await failures();
    writeFileSync(file, text);
    await waitFor('another failure', async () => (await failures()) > counted);
    await waitFor('a line of the log', () => services.replicas[0]?.logs().includes(problem) === true);
    expect(await statusOf('bob', pods('web'))).toBe(403);
    expect(await statusOf('ann', pods('web'))).toBe(200);
    expect(await hashesInUse()).toEqual([before]);
  }

  write('config.json', {
    ...head,
    authorizers: authorizers("request.resourceAttributes.namespace == 'api'"),
  });
  await waitFor('the new condition', async () => (await statusOf('ann', pods('api'))) === 200);
  expect(await statusOf('ann', pods('web'))).toBe(403);
  expect(await reloads('success')).toBe(true);
  await waitFor('the hash of the new file', async () => (await hashesInUse()).join() === hashOf(file));
  expect(hashOf(file)).not.toBe(before);
});

test('what excludes the file, and its errors, end the start', async () => {
  const config = write('bad.json', { ...head, authorizers: [{ type: 'RBAC' }] });
  const { code, output } = await runToEnd([
    ...['--emulated-release=1.36', `--authorization-config=${config}`, '--authorization-mode=RBAC'],
  ]);
  expect(code).toBe(1);
  for (const says of [
    '--authorization-config and --authorization-mode exclude each other',
    'authorizers[0].name: Required value',
    '[AUTHORIZATION_INVALID]',
  ])
    expect(output).toContain(says);
});
