/** The Lease by which a replica says that it lives, and the end of those that are renewed no more. */
import { systemRandom } from '../../../src/base/random.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import type { ApiObject } from '../../../src/meta/object.ts';
import { ServerIdentity, type LeaseRemoval } from '../../../src/server/services/identity-lease.ts';
import type { Entry } from '../../../src/storage/types.ts';
import { HandClock } from '../../support/hand-clock.ts';

const at = Date.parse('2026-11-26T10:00:00Z');
const clock = new HandClock(at);

function identity(minor = 36, naming: keyof typeof namingProfiles = 'kubernetes'): ServerIdentity {
  return new ServerIdentity({
    ...{ clock, random: systemRandom, naming: namingProfiles[naming], release: { major: 1, minor } },
    ...{ hostname: 'node-1', durationSeconds: 3600 },
  });
}

function renewed(of: ServerIdentity, current?: object): ApiObject {
  return of.lease().next(current as ApiObject | undefined) as unknown as ApiObject;
}

test.each([
  [36, 'kubernetes', 'apiserver-lgabes5ywnaqeagh5dny4zlzs4', 'apiserver.kubernetes.io/identity'],
  [26, 'kubernetes', 'kube-apiserver-lgabes5ywnaqeagh5dny4zlzs4', 'k8s.io/component'],
  [36, 'orch', 'apiserver-zvfbogxo2xoyur5un7whp4xtae', 'apiserver.orch.io/identity'],
] as const)('its name and labels, release 1.%d, %s', (minor, naming, name, label) => {
  const { systemPrefix, labelDomain } = namingProfiles[naming];
  const labels = { [label]: `${systemPrefix}-apiserver`, [`${labelDomain}/hostname`]: 'node-1' };
  expect(renewed(identity(minor, naming))).toEqual({
    metadata: { name, namespace: `${systemPrefix}-system`, labels },
    spec: {
      holderIdentity: expect.stringMatching(new RegExp(`^${name}_[-0-9a-f]{36}$`)) as unknown,
      leaseDurationSeconds: 3600,
      renewTime: '2026-11-26T10:00:00.000000Z',
    },
  });
});

test('a process that starts takes the Lease of its machine over, once; what others added stays', () => {
  const [former, next] = [identity(), identity()];
  const first = renewed(former, undefined);
  const labelled = {
    ...first,
    metadata: { ...first.metadata, labels: { ...first.metadata.labels, a: 'b' } },
  };
  const second = renewed(next, labelled);
  expect(second.metadata.labels).toMatchObject({ a: 'b' });
  expect(second['spec']).not.toMatchObject({ holderIdentity: holderOf(first) });
  expect(holderOf(renewed(former, second))).toBe(holderOf(second));
});

function holderOf({ spec }: ApiObject): unknown {
  return (spec as { holderIdentity: string }).holderIdentity;
}

test('Leases of servers that have expired are removed, and no others', async () => {
  const own = { 'apiserver.kubernetes.io/identity': 'kube-apiserver' };
  const lease = (
    name: string,
    labels: object,
    renewTime?: string,
    leaseDurationSeconds?: number,
  ): object => ({
    ...{ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' },
    metadata: { namespace: 'kube-system', name, uid: `${name}-uid`, resourceVersion: '7', labels },
    spec: { renewTime, leaseDurationSeconds },
  });
  const leases = [
    lease('alive', own, '2026-11-26T09:30:00.000000Z', 3600),
    lease('expired', own, '2026-11-26T08:59:59.000000Z', 3600),
    lease('odd', own),
    lease('of-a-controller', {}, '2026-11-26T08:00:00.000000Z', 10),
  ];
  const entries = leases.map(
    (object) => ({ modRevision: 7n, bytes: Buffer.from(JSON.stringify(object)) }) as unknown as Entry,
  );
  const removed: unknown[] = [];
  const view = () => ({ entries: (prefix: string) => (prefix === 'kube-system/' ? entries : []) });
  await identity().removeExpired(
    {
      storage: { view },
      catalogue: { resource: () => ({ storage: { collection: 'coordination/leases' } }) },
      verbs: {
        delete: (_scope: unknown, name: string, { preconditions }: { preconditions: unknown }) => {
          removed.push([name, preconditions]);
          return Promise.resolve();
        },
      },
    } as unknown as LeaseRemoval,
    new AbortController().signal,
  );
  const exactly = (name: string) => [name, { uid: `${name}-uid`, resourceVersion: '7' }];
  expect(removed).toEqual([exactly('expired'), exactly('odd')]);
});
