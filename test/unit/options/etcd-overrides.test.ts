/** `--etcd-servers-overrides`: what it means, and what is refused with a reason. */
import { configFromFlags } from '../../../src/options/config-from-flags.ts';
import type { FlagTexts } from '../../../src/options/serve-flags.ts';

async function read(
  overrides: string,
  more: FlagTexts = {},
): Promise<{ overrides: string[]; errors: string[] }> {
  const texts = { 'etcd-servers': 'http://main:2379', 'etcd-servers-overrides': overrides, ...more };
  const { config, errors } = await configFromFlags(texts);
  return {
    overrides: config.etcd.overrides.map(
      ({ servers, collections }) => `${collections.join(' ')} @ ${servers.join(' ')}`,
    ),
    errors: errors.map(({ cause, remedy }) => `${cause}; ${remedy}`),
  };
}

test.each([
  ['a resource of the core group', '/events#http://a:1', ['core/events @ http://a:1']],
  ['several servers', '/events#http://a:1;http://b:1', ['core/events @ http://a:1 http://b:1']],
  [
    'resources on one cluster have one override, whatever the order of the members',
    '/events#http://a:1;http://b:1, apps/deployments#http://b:1;http://a:1/',
    ['apps/deployments core/events @ http://a:1 http://b:1'],
  ],
  [
    'two clusters, in the order of the flag',
    '/events#http://b:1,/pods#http://a:1',
    ['core/events @ http://b:1', 'core/pods @ http://a:1'],
  ],
  ['a group that shares its objects', 'events.orch.io/events#http://a:1', ['core/events @ http://a:1']],
  [
    'a whole group, less what is named by itself',
    'apps/*#http://a:1,apps/deployments#http://b:1,apps/statefulsets#http://main:2379',
    [
      'apps/controllerrevisions apps/daemonsets apps/replicasets @ http://a:1',
      'apps/deployments @ http://b:1',
    ],
  ],
  ['the cluster of all others', '/events#http://main:2379', []],
] as const)('%s', async (_name, text, overrides) => {
  expect(await read(text)).toEqual({ overrides, errors: [] });
});

test('names are those of the naming profile', async () => {
  const text = 'events.k8s.io/events#http://a:1';
  expect((await read(text)).errors).toHaveLength(1);
  expect(await read(text, { naming: 'kubernetes' })).toEqual({
    overrides: ['core/events @ http://a:1'],
    errors: [],
  });
});

test.each([
  ['events#http://a:1', '"events#http://a:1"; use GROUP/RESOURCE#URL;URL'],
  ['/events', '"/events"; use GROUP/RESOURCE#URL;URL'],
  ['/events#', '"/events#"; use GROUP/RESOURCE#URL;URL'],
  ['/events#http://a:1#http://b:1', 'use GROUP/RESOURCE#URL;URL'],
  ['a/b/c#http://a:1', 'use GROUP/RESOURCE#URL;URL'],
  ['/events#a:2379', '"a:2379"; use URLs such as https://host:2379'],
  ['/events#http://a:1;', '""; use URLs such as https://host:2379'],
  ['/events#http://a:1;https://b:1', 'mixes http and https for /events'],
  ['/event#http://a:1', '/event, which is no built-in resource'],
  ['core/events#http://a:1', 'core/events, which is no built-in resource'],
  ['stable.example.com/crontabs#http://a:1', 'custom resources are always in --etcd-servers'],
  ['/bindings#http://a:1', '/bindings, which is no built-in resource'],
  ['/services#http://a:1', '/services, which must be in --etcd-servers: its writes take addresses'],
  ['/namespaces#http://a:1', '/namespaces, which must be in --etcd-servers: creations'],
  ['apiextensions.orch.io/customresourcedefinitions#http://a:1', 'must be in --etcd-servers: versions'],
  ['/events#http://a:1,events.orch.io/events#http://b:1', 'events.orch.io/events two etcd clusters'],
])('%s is refused', async (text, problem) => {
  const { errors } = await read(text);
  expect(errors.some((error) => error.includes(problem))).toBe(true);
  expect(errors.every((error) => error.startsWith('flag --etcd-servers-overrides'))).toBe(true);
});

test('every item is checked', async () => {
  expect((await read('x#y,/events#z,/services#http://a:1')).errors).toHaveLength(3);
});

test('files of TLS are needed for https, and may be given beside an own etcd', async () => {
  const { errors } = await configFromFlags({ 'etcd-servers-overrides': '/events#https://a:1' });
  expect(errors).toMatchObject([
    {
      code: 'FLAG_COMBINATION',
      cause: '--etcd-servers-overrides with https is given without --etcd-cafile',
    },
  ]);
  const given = { 'etcd-servers-overrides': '/events#https://a:1', 'etcd-cafile': 'ca' };
  expect((await configFromFlags(given)).errors).toEqual([]);
});
