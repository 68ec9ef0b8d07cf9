/** What the service tells a cluster of itself: endpoints of its Service, and whom extension API servers trust. */
import { namingProfiles } from '../../../src/meta/naming.ts';
import type { ApiObject } from '../../../src/meta/object.ts';
import {
  advertisedAddress,
  endpointObjects,
  endpointsIn,
  type ApiEndpoint,
} from '../../../src/server/services/api-endpoints.ts';
import { apiService } from '../../../src/server/services/api-service.ts';
import { clusterAuthentication } from '../../../src/server/services/cluster-authentication.ts';
import { configFromFlags } from '../../../src/options/config-from-flags.ts';
import type { MaintainedObject } from '../../../src/server/services/maintained-object.ts';
import type { CollectionSnapshot } from '../../../src/storage/types.ts';
import { makeAuthority } from '../../support/pki.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

const { kubernetes, orch } = namingProfiles;
const at = (address: string, port = 6443): ApiEndpoint => ({ address, port });

/** What is there after a round, given what was. */
function after({ next }: MaintainedObject, current?: object): ApiObject | undefined {
  return next(current as ApiObject | undefined) as ApiObject | undefined;
}

const services = {
  advertiseAddress: '',
  endpointReconciler: 'lease',
  identityLease: { durationSeconds: 3600, renewSeconds: 10 },
  clusterIpRanges: ['10.96.0.0/16', 'fd00::/112'],
  nodePortRange: '30000-32767',
  apiNodePort: 0,
} as const;

test.each([
  [kubernetes, 'kubernetes'],
  [orch, 'orch'],
])('the Service of the API has the first address of the first range: %#', (naming, name) => {
  const service = apiService(naming, services, 6443);
  expect(service).toMatchObject({ namespace: 'default', name });
  expect(after(service)).toMatchObject({
    metadata: { name, labels: { component: 'apiserver', provider: name } },
    spec: { clusterIP: '10.96.0.1', ports: [{ name: 'https', port: 443, targetPort: 6443 }] },
  });
  expect(after(service, { metadata: {} })).toBeUndefined();
});

test('with a node port it has type NodePort; one that exists gets the port', () => {
  const service = apiService(kubernetes, { ...services, apiNodePort: 30443 }, 6443);
  const exposed = { type: 'NodePort', ports: [{ port: 443, nodePort: 30443 }] };
  expect(after(service)).toMatchObject({ spec: exposed });
  const before = after(apiService(kubernetes, services, 6443)) as unknown as { spec: object };
  expect(before.spec).toMatchObject({ type: 'ClusterIP' });
  const changed = after(service, before);
  expect(changed).toMatchObject({ spec: { ...exposed, clusterIP: '10.96.0.1' } });
  expect(after(service, changed)).toBeUndefined();
  const balanced = { ...before, spec: { ...before.spec, type: 'LoadBalancer' } };
  expect(after(service, balanced)).toMatchObject({ spec: { ...exposed, type: 'LoadBalancer' } });
});

test('a node port outside of the range is an error', async () => {
  const read = (port: string) =>
    configFromFlags({ 'kubernetes-service-node-port': port, 'service-node-port-range': '30000-30010' });
  expect((await read('30010')).errors).toEqual([]);
  expect((await read('30011')).errors).toMatchObject([{ code: 'FLAG_COMBINATION' }]);
  expect((await read('70000')).errors).toMatchObject([{ code: 'FLAG_VALUE' }]);
});

test('endpoints are the announced addresses, each once; other text is none', () => {
  const entries = [
    ['10.1.0.1/a', '6443'],
    ['10.1.0.1/b', '6443'],
    ['fd00::1/c', '7443'],
    ['10.1.0.2/d', 'x'],
  ].map(([key, text = '']) => ({ key, bytes: Buffer.from(text) }));
  const announced = { entries: () => entries } as unknown as CollectionSnapshot;
  expect(endpointsIn(announced)).toEqual([at('10.1.0.1'), at('fd00::1', 7443)]);
});

test('Endpoints and EndpointSlice name them, and are left alone while they do', () => {
  const [endpoints, slice] = endpointObjects(kubernetes, [at('10.1.0.1'), at('10.1.0.2')]);
  const made = [endpoints, slice].map((object) => object && after(object));
  expect(made).toMatchObject([
    {
      metadata: { name: 'kubernetes', labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
      subsets: [{ addresses: [{ ip: '10.1.0.1' }, { ip: '10.1.0.2' }], ports: [{ port: 6443 }] }],
    },
    {
      metadata: { labels: { 'kubernetes.io/service-name': 'kubernetes' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.1.0.1'] }, { addresses: ['10.1.0.2'] }],
    },
  ]);
  const withDefaults = { ...made[1], generation: 1, endpoints: [...(made[1]?.['endpoints'] as object[])] };
  expect(slice && after(slice, withDefaults)).toBeUndefined();
  const [fewer] = endpointObjects(kubernetes, [at('10.1.0.2')]);
  expect(fewer && after(fewer, made[0])).toMatchObject({ subsets: [{ addresses: [{ ip: '10.1.0.2' }] }] });
});

test('without endpoints nothing is erased', () => {
  expect(endpointObjects(kubernetes, [])).toEqual([]);
});

test('a slice has one family, which cannot be changed', () => {
  const [, both] = endpointObjects(orch, [at('10.1.0.1'), at('fd00::1')]);
  expect(both && after(both)).toMatchObject({
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.1.0.1'] }],
  });
  const [, six] = endpointObjects(orch, [at('fd00::1')]);
  expect(six && after(six)).toMatchObject({ addressType: 'IPv6' });
  expect(six?.isOutdated?.({ addressType: 'IPv4' } as unknown as ApiObject)).toBe(true);
  expect(six?.isOutdated?.({ addressType: 'IPv6' } as unknown as ApiObject)).toBe(false);
});

test('the advertised address is what is configured, else what others can reach', () => {
  const nic = (address: string, family: string, internal = false): object => ({ address, family, internal });
  const interfaces = {
    lo: [nic('127.0.0.1', 'IPv4', true), nic('::1', 'IPv6', true)],
    eth0: [nic('192.168.1.5', 'IPv4'), nic('fe80::1', 'IPv6'), nic('fd00::5', 'IPv6')],
  } as never;
  const address = (advertise: string, bind: string): unknown =>
    advertisedAddress(advertise, bind, interfaces);
  expect(address('10.0.0.9', '0.0.0.0')).toBe('10.0.0.9');
  expect(address('', '192.168.1.6')).toBe('192.168.1.6');
  expect(address('', '0.0.0.0')).toBe('192.168.1.5');
  expect(address('', '127.0.0.1')).toBe('192.168.1.5');
  expect(address('', '::')).toBe('fd00::5');
  expect(advertisedAddress('', '127.0.0.1', {})).toBeUndefined();
});

test('trusted CAs and headers are those of all replicas, without certificates that have ended', async () => {
  const folder = await makeTempFolder('authorities');
  const [client, proxy] = await Promise.all(
    ['client', 'proxy'].map((name) => makeAuthority(folder.path, name)),
  );
  await folder.remove();
  const own = {
    clientCa: [client?.ca ?? ''],
    proxyCa: proxy?.ca,
    proxies: {
      usernames: ['x-remote-user'],
      groups: [],
      extraPrefixes: ['x-extra-'],
      allowedNames: ['front'],
    },
  };
  const now = Date.now();
  const map = clusterAuthentication(kubernetes, own, now);
  expect(map).toMatchObject({ namespace: 'kube-system', name: 'extension-apiserver-authentication' });
  const made = after(map);
  const data = made?.['data'] as Record<string, string>;
  expect(Object.keys(data).sort()).toEqual([
    'client-ca-file',
    'requestheader-allowed-names',
    'requestheader-client-ca-file',
    'requestheader-extra-headers-prefix',
    'requestheader-group-headers',
    'requestheader-username-headers',
  ]);
  expect(after(map, made)).toBeUndefined();
  const withUids = clusterAuthentication(
    kubernetes,
    { ...own, proxies: { ...own.proxies, uids: ['x-remote-uid'] } },
    now,
  );
  expect(after(withUids)?.['data']).toMatchObject({ 'requestheader-uid-headers': '["x-remote-uid"]' });
  const other = clusterAuthentication(
    kubernetes,
    { ...own, clientCa: [proxy?.ca ?? ''], proxyCa: undefined },
    now,
  );
  const merged = after(other, made)?.['data'] as Record<string, string>;
  expect(merged['client-ca-file']?.match(/BEGIN/g)).toHaveLength(2);
  expect(merged['requestheader-allowed-names']).toBe('["front"]');
  const later = clusterAuthentication(kubernetes, { ...own, clientCa: [], proxyCa: undefined }, now + 1e12);
  expect(after(later, made)?.['data']).toEqual({});
});
