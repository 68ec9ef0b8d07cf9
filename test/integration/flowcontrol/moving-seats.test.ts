/** Under load, seats of an idle priority level go to a busy one, as far as the limits let them, and come back when they are needed. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startServices, type Services } from '../../support/authorized-server.ts';
import { makeServicePki } from '../../support/replica.ts';
import { waitFor } from '../../support/wait-for.ts';
import { WebhookServer } from '../../support/webhook-server.ts';
import { flowSchema } from './support.ts';

const flowControl = '/apis/flowcontrol.apiserver.orch.io/v1';
/** More than one division of seats takes, on any machine. */
const patience = { timeout: 90_000 };

let services: Services;
const owned = new AsyncDisposableStack();
/** How long a request keeps its seat: the webhook is asked when it has one. */
const lastsMs = 500;
/** Ends the load of a user. */
const ends = new Map<string, () => Promise<unknown>>();

beforeAll(async () => {
  const pki = owned.use(await makeServicePki());
  const hook = owned.use(await WebhookServer.start(pki.server, pki.authority));
  hook.answer = async ({ body }) => {
    const { resourceAttributes } = body['spec'] as { resourceAttributes?: { name?: string } };
    if (resourceAttributes?.name === 'lasting') await delay(lastsMs);
    return { body: { ...body, status: { allowed: true } } };
  };
  const file = join(pki.folder, 'webhook.kubeconfig');
  const cluster = { server: hook.url, 'certificate-authority': pki.authority.caFile };
  writeFileSync(
    file,
    JSON.stringify({
      clusters: [{ name: 'hook', cluster }],
      users: [{ name: 'api', user: {} }],
      contexts: [{ name: 'it', context: { cluster: 'hook', user: 'api' } }],
      'current-context': 'it',
    }),
  );
  services = owned.use(
    await startServices(1, [
      ...['--emulated-release=1.36', '--workers=1', '--request-timeout=10m', '--controllers=namespace'],
      ...['--max-requests-inflight=20', '--max-mutating-requests-inflight=20'],
      ...['--authorization-mode=Webhook', `--authorization-webhook-config-file=${file}`],
      '--authorization-webhook-version=v1',
    ]),
  );
  await make('borrower', { borrowingLimitPercent: 50 }, 'bob');
  await make('lender', { lendablePercent: 90 }, 'carl');
}, 90_000);
afterAll(async () => {
  await Promise.all([...ends.values()].map((end) => end()));
  await owned.disposeAsync();
});

async function make(name: string, limits: object, user: string): Promise<void> {
  const queuing = { queues: 1, handSize: 1, queueLengthLimit: 100 };
  const limited = {
    ...{ nominalConcurrencyShares: 1_000, limitResponse: { type: 'Queue', queuing } },
    ...limits,
  };
  const level = { metadata: { name }, spec: { type: 'Limited', limited } };
  await services.admin.ok('POST', `${flowControl}/prioritylevelconfigurations`, level);
  const schema = flowSchema(name, name, { kind: 'User', user: { name: user } });
  await services.admin.ok('POST', `${flowControl}/flowschemas`, schema);
  await waitFor(`the level ${name} to count`, async () => (await figure('nominal_limit_seats', name)) > 10);
}

async function figure(metric: string, level: string): Promise<number> {
  const { text } = await services.admin.get('/metrics');
  return text
    .split('\n')
    .filter((line) => line.startsWith(`apiserver_flowcontrol_${metric}{`))
    .filter((line) => line.includes(`priority_level="${level}"`))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

/** So many clients of a user that ask again and again, until their end is asked for. */
function load(user: string, clients: number): void {
  let isOver = false;
  const busy = Array.from({ length: clients }, async () => {
    while (!isOver) await services.as(user).get('/api/v1/namespaces/web/configmaps/lasting');
  });
  const all = Promise.all(busy);
  ends.set(user, () => {
    isOver = true;
    return all;
  });
}

const executing = (level: string): Promise<number> => figure('current_executing_requests', level);

test('seats move to the level that needs them, and back', async () => {
  const own = await figure('nominal_limit_seats', 'borrower');
  const others = await figure('nominal_limit_seats', 'lender');
  const upper = await figure('upper_limit_seats', 'borrower');
  expect(upper).toBe(own + Math.round(own / 2));

  load('bob', 2 * own + 10);
  await waitFor('seats that are borrowed', async () => (await executing('borrower')) === upper, patience);
  expect(await figure('current_limit_seats', 'borrower')).toBe(upper);
  await waitFor('requests that wait', async () => (await figure('current_inqueue_requests', 'borrower')) > 0);
  const lent = await figure('current_limit_seats', 'lender');
  expect(lent).toBeLessThan(others);
  expect(lent).toBeGreaterThanOrEqual(await figure('lower_limit_seats', 'lender'));

  load('carl', others + 10);
  await waitFor('the lender to use its own', async () => (await executing('lender')) >= others, patience);
  // Both have less than they could use, and no more than there is.
  expect(await figure('current_limit_seats', 'borrower')).toBeLessThan(upper);
  await waitFor('the borrower to give back', async () => {
    return (await executing('borrower')) <= (await figure('current_limit_seats', 'borrower'));
  });
  await Promise.all([...ends.values()].map((end) => end()));
  await waitFor('all seats to be free', async () => (await executing('borrower')) === 0);
}, 300_000);
