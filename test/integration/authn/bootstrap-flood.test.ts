/** Bootstrap tokens that are tried in large numbers: etcd is asked at most about once a second. */
import { createBootstrapTokenAuthenticator } from '../../../src/authn/bootstrap-token.ts';
import type { Authenticator } from '../../../src/authn/types.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { createBootstrapSecrets } from '../../../src/server/authentication/bootstrap-secrets.ts';
import type { EtcdStorage } from '../../../src/storage/storage.ts';
import { startEtcdCluster, type EtcdCluster } from '../../support/etcd/cluster.ts';
import { waitFor } from '../../support/wait-for.ts';
import { requestWith } from '../../support/authn-requests.ts';
import { json, mostRecent, forever, startStorage } from '../../support/storage.ts';

const naming = namingProfiles.orch;
const collection = 'core/secrets';
const keyOf = (id: string): string => `orch-system/bootstrap-token-${id}`;
let cluster: EtcdCluster;
let storage: EtcdStorage;
let other: EtcdStorage;
let authenticator: Authenticator;

beforeAll(async () => {
  cluster = await startEtcdCluster({ how: 'process' });
  storage = await startStorage(cluster.endpoints);
  other = await startStorage(cluster.endpoints);
  authenticator = createBootstrapTokenAuthenticator({
    naming,
    clock: systemClock,
    secrets: createBootstrapSecrets(storage, naming, systemClock),
  });
});
afterAll(async () => {
  await storage.close();
  await other.close();
  await cluster.close();
});

function secretOf(id: string): Buffer {
  const data = {
    'token-id': id,
    'token-secret': `${id}0123456789`,
    'usage-bootstrap-authentication': 'true',
  };
  const encoded = Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
  const metadata = { name: `bootstrap-token-${id}`, namespace: 'orch-system', uid: id };
  const type = 'bootstrap.orch.io/token';
  return json({
    kind: 'Secret',
    apiVersion: 'v1',
    metadata,
    type,
    data: Object.fromEntries(encoded) as object,
  });
}

async function outcome(bearerToken: string): Promise<string | undefined> {
  return (await authenticator.authenticate(requestWith({ bearerToken })))?.outcome;
}

const idOf = (i: number): string => i.toString(36).padStart(6, 'x');

test('a flood of unknown ids and of wrong secrets costs a few quorum reads', async () => {
  await other.create(collection, keyOf('aaaaaa'), secretOf('aaaaaa'));
  expect(await outcome('aaaaaa.aaaaaa0123456789')).toBe('authenticated');
  const before = storage.stats().probes;
  const begun = performance.now();
  for (let i = 0; i < 2_000; i += 1) {
    expect(await outcome(`${idOf(i)}.0123456789abcdef`)).toBe('rejected');
    expect(await outcome('aaaaaa.0123456789abcdef')).toBe('rejected');
  }
  const seconds = (performance.now() - begun) / 1_000;
  expect(storage.stats().probes - before).toBeLessThan(5 + 4 * seconds);
});

test('what is made at another replica is known at once, and what is deleted there is not', async () => {
  const { revision } = await other.create(collection, keyOf('bbbbbb'), secretOf('bbbbbb'));
  // Where the view has not seen it yet, at most a second of refusals lies in between.
  await waitFor('the token', async () => (await outcome('bbbbbb.bbbbbb0123456789')) === 'authenticated', {
    timeout: 1_500,
  });
  await other.delete(collection, keyOf('bbbbbb'), revision);
  expect(await outcome('bbbbbb.bbbbbb0123456789')).toBe('rejected');
  expect(await storage.get(collection, keyOf('bbbbbb'), mostRecent, forever)).toBeUndefined();
});
