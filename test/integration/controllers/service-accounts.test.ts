/** Accounts, their tokens and the authority in every namespace, on a real registry; the tokens are shown to the authenticator. */
import { createServiceAccountAuthenticator } from '../../../src/authn/service-account/service-account-authenticator.ts';
import { TokenIssuer } from '../../../src/authn/service-account/token-issuer.ts';
import { systemClock } from '../../../src/base/clock.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import type { ApiObject } from '../../../src/meta/object.ts';
import { StatusError } from '../../../src/meta/status.ts';
import { decodeEntry, entryObject } from '../../../src/registry/written-entry.ts';
import { createTokenObjects } from '../../../src/server/authentication/stored-token-objects.ts';
import { accountProvision } from '../../../src/server/controllers/account-provision.ts';
import { issuer, naming, World } from '../../support/service-account-tokens.ts';
import { requestWith } from '../../support/authn-requests.ts';
import { waitFor } from '../../support/wait-for.ts';
import { everything, plainDelete, scope } from '../../support/registry.ts';
import { startControllers, type RunningControllers } from './support.ts';

const { key } = new World();
const tokens = new TokenIssuer({ clock: systemClock, key, naming, issuer, audiences: ['api'] });
let running: RunningControllers;

beforeAll(async () => {
  running = await startControllers(
    ['namespace', 'serviceaccount', 'serviceaccount-token', 'root-ca-cert-publisher'],
    accountProvision('the authority', tokens),
  );
});
afterAll(() => running.close());

const verbs = (): RunningControllers['registry']['verbs'] => running.registry.verbs;
const inNamespace = (plural: string, namespace: string): ReturnType<typeof scope> =>
  scope(plural, { namespace });

async function find(plural: string, namespace: string, name: string): Promise<ApiObject | undefined> {
  try {
    return entryObject(await verbs().get(inNamespace(plural, namespace), name, { resourceVersion: '' }));
  } catch (error) {
    if (error instanceof StatusError && error.code === 404) return undefined;
    throw error;
  }
}

const newNamespace = (name: string): Promise<unknown> =>
  verbs().create(scope('namespaces'), '', { metadata: { name } });

/** The token Secret that an account names, once it does. */
function tokenSecret(namespace: string, account: string, other = ''): Promise<ApiObject> {
  return waitFor(`the token of ${namespace}/${account}`, async () => {
    const found = await find('serviceaccounts', namespace, account);
    const names = ((found?.['secrets'] ?? []) as { name: string }[]).map(({ name }) => name);
    return names.length === 1 && names[0] !== other && find('secrets', namespace, names[0] ?? '');
  });
}

function valuesOf(secret: ApiObject): Record<string, string> {
  const data = (secret['data'] ?? {}) as Record<string, string>;
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, Buffer.from(value, 'base64').toString()]),
  );
}

async function userOf(token: string): Promise<string> {
  const authenticator = createServiceAccountAuthenticator({
    ...{ keys: [key], naming, issuer, audiences: ['api'], lookup: true },
    clock: systemClock,
    isFeatureEnabled: () => false,
    objects: createTokenObjects(running.registry.storage, systemClock),
  });
  const result = await authenticator.authenticate(requestWith({ bearerToken: token }));
  return result?.outcome === 'authenticated' ? result.user.name : (result?.reason ?? 'not mine');
}

/** The view follows a deletion, as everything else, within moments. */
async function voided(token: string): Promise<void> {
  await waitFor('the token to be void', async () =>
    /does not exist|another one of the same name/.test(await userOf(token)),
  );
}

test('every namespace has an account whose Secret proves it', async () => {
  await newNamespace('fresh');
  const secret = await tokenSecret('fresh', 'default');
  expect(secret['type']).toBe('orch.io/service-account-token');
  const { token = '', ...rest } = valuesOf(secret);
  expect(rest).toEqual({ 'ca.crt': 'the authority', namespace: 'fresh' });
  expect(await userOf(token)).toBe('system:serviceaccount:fresh:default');
});

test('a deleted default account comes back as another one, and what the old one had is void', async () => {
  await newNamespace('back');
  const secret = await tokenSecret('back', 'default');
  const uid = (await find('serviceaccounts', 'back', 'default'))?.metadata.uid;
  await verbs().delete(inNamespace('serviceaccounts', 'back'), 'default', plainDelete);
  const { token = '' } = valuesOf(secret);
  await voided(token);
  const renewed = await tokenSecret('back', 'default', secret.metadata.name);
  expect((await find('serviceaccounts', 'back', 'default'))?.metadata.uid).not.toBe(uid);
  expect(await userOf(valuesOf(renewed)['token'] ?? '')).toBe('system:serviceaccount:back:default');
  await waitFor(
    'the old Secret to go',
    async () => !(await find('secrets', 'back', secret.metadata.name ?? '')),
  );
});

test('recreated service accounts leave no Secret of the previous ones', async () => {
  const names = ['a', 'b', 'c', 'd', 'e'].map((letter) => `quick-${letter}`);
  const accounts = inNamespace('serviceaccounts', 'default');
  const create = (name: string): Promise<unknown> => verbs().create(accounts, '', { metadata: { name } });
  await Promise.all(names.map(create));
  const old = await Promise.all(names.map((name) => tokenSecret('default', name)));
  for (const name of names) {
    await verbs().delete(accounts, name, plainDelete);
    await create(name);
  }
  for (const { metadata } of old)
    await waitFor(
      'the old Secret to go',
      async () => !(await find('secrets', 'default', metadata.name ?? '')),
    );
});

test('a deleted Secret is renewed, and its token is void', async () => {
  await verbs().create(inNamespace('serviceaccounts', 'default'), '', { metadata: { name: 'robot' } });
  const secret = await tokenSecret('default', 'robot');
  const { token = '' } = valuesOf(secret);
  expect(await userOf(token)).toBe('system:serviceaccount:default:robot');
  await verbs().delete(inNamespace('secrets', 'default'), secret.metadata.name ?? '', plainDelete);
  await voided(token);
  const renewed = await tokenSecret('default', 'robot', secret.metadata.name);
  expect(await userOf(valuesOf(renewed)['token'] ?? '')).toBe('system:serviceaccount:default:robot');
});

test('a token Secret of a user is completed; one without a service account is deleted', async () => {
  const make = (name: string, account: string): Promise<unknown> => {
    const annotations = { 'orch.io/service-account.name': account };
    const body = { metadata: { name, annotations }, type: 'orch.io/service-account-token' };
    return verbs().create(inNamespace('secrets', 'default'), '', body);
  };
  await verbs().create(inNamespace('serviceaccounts', 'default'), '', { metadata: { name: 'second' } });
  await make('by-hand', 'second');
  await make('of-nobody', 'nobody');
  const secret = await waitFor('a token in it', async () => {
    const found = await find('secrets', 'default', 'by-hand');
    return found && valuesOf(found)['token'] !== undefined && found;
  });
  expect(await userOf(valuesOf(secret)['token'] ?? '')).toBe('system:serviceaccount:default:second');
  await waitFor('the other to go', async () => !(await find('secrets', 'default', 'of-nobody')));
  const own = await tokenSecret('default', 'second');
  expect(own.metadata.name).toMatch(/^second-token-.{5}$/);
});

test('an account keeps one Secret, however often it changes', async () => {
  await verbs().create(inNamespace('serviceaccounts', 'default'), '', { metadata: { name: 'busy' } });
  const secret = await tokenSecret('default', 'busy');
  for (const label of ['a', 'b', 'c'])
    await verbs().patch(inNamespace('serviceaccounts', 'default'), 'busy', (current) => ({
      ...current,
      metadata: { ...(current['metadata'] as JsonObject), labels: { label } },
    }));
  await verbs().create(inNamespace('serviceaccounts', 'default'), '', { metadata: { name: 'after' } });
  await tokenSecret('default', 'after');
  const { entries } = await verbs().list(inNamespace('secrets', 'default'), everything);
  const names = Array.from(entries, (entry) => (decodeEntry(entry)['metadata'] as { name: string }).name);
  expect(names.filter((name) => name.startsWith('busy-'))).toEqual([secret.metadata.name]);
});

test('the CA bundle is published in every namespace, and restored', async () => {
  const name = 'orch-root-ca.crt';
  const isThere = async (): Promise<boolean> => {
    const data = (await find('configmaps', 'default', name))?.['data'] as Record<string, string> | undefined;
    return data?.['ca.crt'] === 'the authority' && Object.keys(data).length === 1;
  };
  await waitFor('the ConfigMap', isThere);
  await verbs().patch(inNamespace('configmaps', 'default'), name, (current) => ({
    ...current,
    data: { 'ca.crt': 'another', more: 'x' },
  }));
  await waitFor('it to be put right', isThere);
  await verbs().delete(inNamespace('configmaps', 'default'), name, plainDelete);
  await waitFor('it to come back', isThere);
});

test('a namespace goes with everything that was made in it', async () => {
  await newNamespace('brief');
  await tokenSecret('brief', 'default');
  await verbs().delete(scope('namespaces'), 'brief', plainDelete);
  await waitFor('it to go', async () => !(await find('namespaces', '', 'brief')));
  for (const plural of ['secrets', 'serviceaccounts', 'configmaps'])
    expect((await verbs().list(inNamespace(plural, 'brief'), everything)).entries).toHaveLength(0);
});
