/** ServiceAccount: which account a pod runs as, and which Secrets it may use. */
import { createServiceAccountPlugin } from '../../../src/admission/service-account.ts';
import { systemEnvironment } from '../../../src/base/environment.ts';
import { attributesOf, naming, outcomeOf, readerOf, type Write } from '../../support/admission.ts';

function account(name: string, more: object = {}): Record<string, object> {
  return { [`core/serviceaccounts/web/${name}`]: { metadata: { name, namespace: 'web' }, ...more } };
}

const enforced = (value: string): object => ({ annotations: { 'orch.io/enforce-mountable-secrets': value } });
const own = {
  secrets: [{ name: 'own' }],
  imagePullSecrets: [{ name: 'pull' }],
  automountServiceAccountToken: false,
};
const plugin = createServiceAccountPlugin(
  readerOf({
    ...account('default', { automountServiceAccountToken: false }),
    ...account('free', own),
    ...account('bound', { ...own, metadata: { name: 'bound', ...enforced('true') } }),
    ...account('loose', { ...own, metadata: { name: 'loose', ...enforced('no') } }),
  }),
  naming,
  systemEnvironment,
);

function podOf(serviceAccountName: string, spec: object = {}): Write {
  return { resource: 'pods', object: { spec: { serviceAccountName, ...spec } } };
}

const mirror = { annotations: { 'orch.io/config.mirror': 'x' } };
const mirrorOf = (spec: object): Write => ({ resource: 'pods', object: { metadata: mirror, spec } });
const volume = (secretName: string): object => ({ volumes: [{ name: 'v', secret: { secretName } }] });
const variable = (name: string): object => ({
  name: 'c',
  env: [{ name: 'A', valueFrom: { secretKeyRef: { name, key: 'k' } } }],
});
const all = (name: string): object => ({ name: 'c', envFrom: [{ secretRef: { name } }] });
const token = { projected: { sources: [{ serviceAccountToken: { path: 'token' } }] } };
const refusal = 'is not allowed because service account bound does not reference that';

test.each<readonly [string, Write, string]>([
  ['a pod of no account', podOf(''), ''],
  ['a pod of an account', podOf('free'), ''],
  [
    'a pod of an account that is not there',
    podOf('none'),
    '403 error looking up service account web/none: serviceaccount "none" not found',
  ],
  ['any secret', podOf('free', volume('other')), ''],
  ['any secret, as the annotation says', podOf('loose', volume('other')), ''],
  ['a volume of its own secret', podOf('bound', volume('own')), ''],
  [
    'a volume of another',
    podOf('bound', volume('other')),
    `403 volume with secret.secretName="other" ${refusal} secret`,
  ],
  ['a variable of its own secret', podOf('bound', { containers: [variable('own')] }), ''],
  [
    'a variable of another',
    podOf('bound', { containers: [variable('other')] }),
    `403 container c with envVar A referencing secret.secretName="other" ${refusal} secret`,
  ],
  [
    'a variable of another at the beginning',
    podOf('bound', { initContainers: [variable('other')] }),
    `403 init container c with envVar A referencing secret.secretName="other" ${refusal} secret`,
  ],
  [
    'all of another',
    podOf('bound', { containers: [all('other')] }),
    `403 container c with envFrom referencing secret.secretName="other" ${refusal} secret`,
  ],
  ['a pull secret of its own', podOf('bound', { imagePullSecrets: [{ name: 'pull' }] }), ''],
  [
    'another pull secret',
    podOf('bound', { imagePullSecrets: [{ name: 'pull' }, { name: 'own' }] }),
    `403 imagePullSecrets[1].name="own" ${refusal} imagePullSecret`,
  ],
  ['a mirror', mirrorOf({}), ''],
  [
    'a mirror with an account',
    mirrorOf({ serviceAccountName: 'free' }),
    '403 a mirror pod may not reference service accounts',
  ],
  ['a mirror with a secret', mirrorOf(volume('own')), '403 a mirror pod may not reference secrets'],
  [
    'a mirror with a secret in a variable',
    mirrorOf({ containers: [variable('own')] }),
    '403 a mirror pod may not reference secrets',
  ],
  [
    'a mirror with a token',
    mirrorOf({ volumes: [{ name: 'v', ...token }] }),
    '403 a mirror pod may not use ServiceAccountToken volume projections',
  ],
  ['an update', { ...podOf('none'), operation: 'UPDATE', oldObject: {} }, ''],
])('%s', async (_what, write, outcome) => {
  expect(await outcomeOf(plugin, attributesOf(write))).toBe(outcome);
});

test('a pod gets the account `default` and its pull secrets, a mirror nothing', async () => {
  const specOf = async (write: Write): Promise<unknown> => {
    const attributes = attributesOf(write);
    await outcomeOf(plugin, attributes);
    return attributes.object?.['spec'];
  };
  expect(await specOf(podOf(''))).toEqual({ serviceAccountName: 'default', serviceAccount: 'default' });
  expect(await specOf(podOf('free'))).toMatchObject({ imagePullSecrets: [{ name: 'pull' }] });
  expect(await specOf(mirrorOf({}))).toEqual({});
});

test('a pod whose service account is removed after the plugin is rejected', async () => {
  const { validate } = plugin;
  await expect(validate?.(attributesOf({ ...podOf(''), name: 'it' }))).rejects.toMatchObject({
    message: 'pods "it" is forbidden: no service account specified for pod web/it',
  });
});
