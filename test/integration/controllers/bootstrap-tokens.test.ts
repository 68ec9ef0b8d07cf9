/** The token cleaner and the bootstrap signer on a real registry. */
import { createHmac } from 'node:crypto';
import type { JsonObject } from '../../../src/base/json.ts';
import { entryObject } from '../../../src/registry/written-entry.ts';
import { waitFor } from '../../support/wait-for.ts';
import { scope } from '../../support/registry.ts';
import { startControllers, type RunningControllers } from './support.ts';

let running: RunningControllers;

beforeAll(async () => {
  running = await startControllers(['tokencleaner', 'bootstrapsigner']);
});
afterAll(() => running.close());

const verbs = (): RunningControllers['registry']['verbs'] => running.registry.verbs;
const secrets = scope('secrets', { namespace: 'orch-system' });
const maps = scope('configmaps', { namespace: 'orch-public' });
const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();

async function makeToken(id: string, more: Record<string, string>): Promise<void> {
  await verbs().create(secrets, '', {
    metadata: { name: `bootstrap-token-${id}` },
    type: 'bootstrap.orch.io/token',
    stringData: { 'token-id': id, 'token-secret': `${id}0123456789`, ...more },
  });
}

function isThere(id: string): Promise<boolean> {
  return verbs()
    .get(secrets, `bootstrap-token-${id}`, { resourceVersion: '' })
    .then(
      () => true,
      () => false,
    );
}

async function signatures(): Promise<Record<string, string>> {
  const found = entryObject(await verbs().get(maps, 'cluster-info', { resourceVersion: '' }));
  const data = (found['data'] ?? {}) as Record<string, string>;
  return Object.fromEntries(Object.entries(data).filter(([key]) => key.startsWith('jws-')));
}

test('tokens go when they have expired, and not before', async () => {
  const expiration = inMs(1500);
  await makeToken('aaaaaa', { expiration: inMs(-1000) });
  await makeToken('bbbbbb', { expiration });
  await makeToken('cccccc', { expiration: inMs(3_600_000) });
  await makeToken('dddddd', {});
  await verbs().create(secrets, '', {
    metadata: { name: 'other' },
    stringData: { expiration: inMs(-1000) },
  });
  for (const id of ['aaaaaa', 'bbbbbb']) await waitFor(`${id} to go`, async () => !(await isThere(id)));
  expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expiration));
  for (const id of ['cccccc', 'dddddd']) expect(await isThere(id)).toBe(true);
  await verbs().get(secrets, 'other', { resourceVersion: '' });
});

test('cluster-info is signed by every token that may, and by no other', async () => {
  await makeToken('eeeeee', { 'usage-bootstrap-signing': 'true' });
  await makeToken('ffffff', { 'usage-bootstrap-signing': 'false' });
  await verbs().create(maps, '', {
    metadata: { name: 'cluster-info' },
    data: { kubeconfig: 'apiVersion: v1', 'jws-kubeconfig-zzzzzz': 'stale' },
  });
  const signed = await waitFor('the signature', async () => {
    const found = await signatures();
    return Object.keys(found).join() === 'jws-kubeconfig-eeeeee' && found['jws-kubeconfig-eeeeee'];
  });
  const [header = '', content, mac] = signed.split('.');
  expect(content).toBe('');
  expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({ alg: 'HS256', kid: 'eeeeee' });
  const text = Buffer.from('apiVersion: v1').toString('base64url');
  expect(mac).toBe(createHmac('sha256', 'eeeeee0123456789').update(`${header}.${text}`).digest('base64url'));
});

test('the signature follows the content and goes with its token', async () => {
  const before = (await signatures())['jws-kubeconfig-eeeeee'];
  await verbs().patch(maps, 'cluster-info', (current) => ({
    ...current,
    data: { ...(current['data'] as JsonObject), kubeconfig: 'changed' },
  }));
  await waitFor('another signature', async () => (await signatures())['jws-kubeconfig-eeeeee'] !== before);
  await verbs().delete(secrets, 'bootstrap-token-eeeeee', {
    ...{ gracePeriodSeconds: undefined, propagationPolicy: undefined },
    ...{ orphanDependents: undefined, preconditions: undefined },
  });
  await waitFor('no signature', async () => Object.keys(await signatures()).length === 0);
});
