/** Invariants of quotas, addresses, finalizers, garbage collection and namespaces, over the commits of a past. */
import { addressesHaveOneHolder } from '../../../support/histories/invariants/addresses.ts';
import { dependentsAreHeeded } from '../../../support/histories/invariants/dependents.ts';
import { finalizersHold } from '../../../support/histories/invariants/finalizers.ts';
import { garbageIsCollected } from '../../../support/histories/invariants/garbage.ts';
import { namespacesEndEmpty } from '../../../support/histories/invariants/namespaces.ts';
import { quotasHold, wrongCounts } from '../../../support/histories/invariants/quotas.ts';
import { walk } from '../../../support/histories/invariants/walk.ts';
import type { JsonObject } from '../../../../src/base/json.ts';
import type { Past } from '../../../support/histories/types.ts';

/** A change: its place, and the object or nothing. */
type Step = readonly [place: string, object?: JsonObject];

/** A past of which each list of steps is a commit. */
function past(...commits: readonly (readonly Step[])[]): Past {
  return {
    from: -Infinity,
    head: commits.length,
    ...{ base: 0, compacted: 0 },
    commits: commits.map((steps, index) => ({
      revision: index + 1,
      changes: steps.map(([place, object]) => {
        const [group = '', plural = '', ...key] = place.split('/');
        const put = object && { value: '', object };
        return { collection: `${group}/${plural}`, key: key.join('/'), put };
      }),
    })),
  };
}

const gone = '2026-01-01T00:00:00Z';

describe('finalizers', () => {
  const held = { metadata: { finalizers: ['example.test/held'] } };
  const ending = { metadata: { finalizers: ['example.test/held'], deletionTimestamp: gone } };
  const place = 'core/configmaps/a/x';

  test('hold an object', () => {
    expect(finalizersHold(past([[place, held]], [[place, ending]]))).toEqual([]);
    expect(finalizersHold(past([[place, { metadata: {} }]], [[place]]))).toEqual([]);
    expect(finalizersHold(past([[place, ending]], [[place]]), { released: new Set([place]) })).toEqual([]);
  });
  test('are not passed over', () => {
    expect(finalizersHold(past([[place, held]], [[place]]))).toEqual([
      'core/configmaps/a/x with example.test/held is gone at 2',
    ]);
    expect(finalizersHold(past([[place, ending]], [[place]]))).toEqual([
      'core/configmaps/a/x is gone at 2, and nobody took example.test/held away',
    ]);
  });
  test('are taken away one by one, some by the collector', () => {
    const finalizers = ['example.test/held', 'orphan'];
    const both = past([[place, { metadata: { finalizers, uid: 'x', deletionTimestamp: gone } }]], [[place]]);
    const collected = new Set(['orphan']);
    expect(finalizersHold(both, { collected })).toHaveLength(1);
    const released = new Set(['x']);
    expect(finalizersHold(both, { collected, released })).toEqual([]);
    expect(finalizersHold(both, { collected, released, isOneByOne: true })).toEqual([
      'core/configmaps/a/x is gone at 2, when example.test/held, orphan still stood',
    ]);
  });
});

describe('addresses', () => {
  const service = { metadata: {}, spec: { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'] } };
  const claim = (name: string): Step => ['ranges/serviceips/10.0.0.1', { namespace: 'a', name, uid: 'u' }];

  test('go with the claim', () => {
    const good = past(
      [['core/services/a/x', service], claim('x')],
      [['core/services/a/none', { metadata: {}, spec: { clusterIP: 'None' } }]],
      [['core/services/a/x'], ['ranges/serviceips/10.0.0.1']],
      [['core/services/a/y', service], claim('y')],
    );
    expect(addressesHaveOneHolder(good)).toEqual([]);
  });
  test.each([
    [
      'two holders',
      past([['core/services/a/x', service], claim('x')], [['core/services/a/y', service]]),
      'held by',
    ],
    ['no claim', past([['core/services/a/x', service]]), 'claimed by nobody'],
    ['a claim of another', past([['core/services/a/x', service], claim('y')]), 'claimed by a/y'],
    ['a claim without a holder', past([claim('x')]), 'does not have it'],
    [
      'a node port without a claim',
      past([['core/services/a/x', { metadata: {}, spec: { ports: [{ nodePort: 30_000 }] } }]]),
      '30000 of a/x is claimed by nobody',
    ],
  ])('%s', (_name, bad, words) => {
    expect(addressesHaveOneHolder(bad).join('\n')).toContain(words);
  });
});

describe('namespaces', () => {
  const home: Step = ['core/namespaces/a', { metadata: {} }];
  const ending: Step = ['core/namespaces/a', { metadata: { deletionTimestamp: gone } }];
  const child: Step = ['core/configmaps/a/x', { metadata: {} }];

  test('end empty, and may come back', () => {
    const removed: Step = ['core/configmaps/a/x'];
    const good = past(
      [home],
      [child],
      [ending],
      [child],
      [removed],
      [['core/namespaces/a']],
      [home],
      [child],
    );
    expect(namespacesEndEmpty(good)).toEqual([]);
    expect(namespacesEndEmpty(past([['core/nodes/n', { metadata: {} }]]))).toEqual([]);
  });
  test.each([
    ['never were', past([child]), 'without its namespace'],
    ['are terminating', past([home], [ending], [child]), 'is terminating'],
    ['go with something in them', past([home], [child], [['core/namespaces/a']]), 'is left at 3'],
    ['are gone', past([home], [['core/namespaces/a']], [child]), 'without its namespace'],
  ])('nothing is created in those that %s', (_name, bad, words) => {
    expect(namespacesEndEmpty(bad).join('\n')).toContain(words);
  });
});

describe('garbage', () => {
  const owner: Step = ['apps/deployments/a/o', { metadata: { uid: 'owner' } }];
  const ownerReferences = [{ uid: 'owner', name: 'o', kind: 'Deployment' }];
  const dependent: Step = ['core/pods/a/d', { metadata: { uid: 'd', ownerReferences } }];
  const options = { deleted: new Set<string>(), isIdle: true };

  test('goes after its owner', () => {
    const good = past([owner], [dependent], [['apps/deployments/a/o']], [['core/pods/a/d']]);
    expect(garbageIsCollected(good, options)).toEqual([]);
    const busy = past([owner], [dependent], [['apps/deployments/a/o']]);
    expect(garbageIsCollected(busy, { ...options, isIdle: false })).toEqual([]);
  });
  test('is not left once the collector is idle', () => {
    const left = past([owner], [dependent], [['apps/deployments/a/o']]);
    expect(garbageIsCollected(left, options)).toEqual(['core/pods/a/d is left, but its owners are gone']);
  });
  test('is not what has an owner, unless a client deletes it', () => {
    const early = past([owner], [dependent], [['core/pods/a/d']]);
    expect(garbageIsCollected(early, options)).toEqual([
      'core/pods/a/d is deleted at 3, but its owner owner is not',
    ]);
    for (const name of ['core/pods/a/d', 'd', 'core/pods/a/'])
      expect(garbageIsCollected(early, { ...options, deleted: new Set([name]) })).toEqual([]);
    const marked = { metadata: { uid: 'd', ownerReferences, deletionTimestamp: gone } };
    expect(garbageIsCollected(past([owner], [dependent], [['core/pods/a/d', marked]]), options)).toHaveLength(
      1,
    );
  });
  test('is what has an owner in another namespace only', () => {
    const far: Step = ['core/pods/b/d', { metadata: { uid: 'd', ownerReferences } }];
    expect(garbageIsCollected(past([owner], [far], [['core/pods/b/d']]), options)).toEqual([]);
    expect(garbageIsCollected(past([owner], [far]), options)).toEqual([
      'core/pods/b/d is left, but its owners are gone',
    ]);
  });
});

describe('dependents', () => {
  const reference = { uid: 'owner', name: 'o', kind: 'Secret', blockOwnerDeletion: true };
  const dependent = (...ownerReferences: readonly JsonObject[]): Step => [
    'core/pods/a/d',
    { metadata: { uid: 'd', ownerReferences: [...ownerReferences] } },
  ];
  const owner = (metadata: JsonObject = {}): Step => [
    'core/secrets/a/o',
    { metadata: { uid: 'owner', name: 'o', namespace: 'a', ...metadata } },
  ];
  const ending = (finalizer: string): Step => owner({ deletionTimestamp: gone, finalizers: [finalizer] });
  const ended: Step = ['core/secrets/a/o'];

  test.each([
    ['foregroundDeletion', dependent(reference), 'is left, for which it was to wait'],
    ['orphan', dependent({ ...reference, blockOwnerDeletion: false }), 'though it was to be set free'],
  ])('are heeded by a deletion with %s', (finalizer, left, words) => {
    const before = [[owner()], [left], [ending(finalizer)]];
    expect(dependentsAreHeeded(past(...before, [['core/pods/a/d']], [ended]))).toEqual([]);
    expect(dependentsAreHeeded(past(...before, [dependent()], [ended]))).toEqual([]);
    const unheeded = past(...before, [ended]);
    expect(dependentsAreHeeded(unheeded).join('\n')).toContain(words);
    expect(dependentsAreHeeded(unheeded, { again: new Set(['owner']) })).toEqual([]);
    // One that refers to it only since then may be late.
    expect(dependentsAreHeeded(past([owner()], [ending(finalizer)], [left], [ended]))).toEqual([]);
  });
  test('that do not block, or wait themselves, hold nothing back', () => {
    const free = dependent({ ...reference, blockOwnerDeletion: false });
    const finalizers = ['foregroundDeletion'];
    const metadata = { uid: 'd', ownerReferences: [reference], finalizers, deletionTimestamp: gone };
    const circle: Step = ['core/pods/a/d', { metadata }];
    for (const each of [free, circle])
      expect(dependentsAreHeeded(past([owner()], [each], [ending('foregroundDeletion')], [ended]))).toEqual(
        [],
      );
    // Its own wait may have ended for the circle, while another finalizer keeps it.
    const kept: Step = ['core/pods/a/d', { metadata: { ...metadata, finalizers: ['example.test/hold'] } }];
    const before = [[owner()], [dependent(reference)], [ending('foregroundDeletion')]];
    expect(dependentsAreHeeded(past(...before, [circle], [kept], [ended]))).toEqual([]);
    expect(dependentsAreHeeded(past(...before, [kept], [ended]))).toHaveLength(1);
  });
});

describe('quotas', () => {
  const quota = (hard: string, used: string, resource = 'configmaps'): Step => [
    'core/resourcequotas/a/q',
    { metadata: {}, spec: {}, status: { hard: { [resource]: hard }, used: { [resource]: used } } },
  ];
  const map = (name: string): Step => [`core/configmaps/a/${name}`, { metadata: {} }];

  test('bound what is created after them', () => {
    const good = past(
      [map('old')],
      [quota('2', '1')],
      [map('new')],
      [['core/configmaps/a/old']],
      [map('newer')],
    );
    expect(quotasHold(good)).toEqual([]);
    expect(
      quotasHold(past([quota('1', '0')], [['core/configmaps/b/x', { metadata: {} }], map('x')])),
    ).toEqual([]);
  });
  test.each(['configmaps', 'count/configmaps'])('are not exceeded: %s', (resource) => {
    expect(quotasHold(past([quota('1', '0', resource)], [map('x')], [map('y')]))).toEqual([
      `core/configmaps/a/y came at 3 with 2 in all, a/q (${resource}) allows 1`,
    ]);
  });
  test('count other groups, and only pods that are not over', () => {
    const grown = past(
      [quota('0', '0', 'count/deployments.apps')],
      [['apps/deployments/a/d', { metadata: {} }]],
    );
    expect(quotasHold(grown)).toHaveLength(1);
    const over: Step = ['core/pods/a/over', { metadata: {}, status: { phase: 'Failed' } }];
    expect(
      quotasHold(past([over], [quota('1', '0', 'pods')], [['core/pods/a/p', { metadata: {} }]])),
    ).toEqual([]);
  });
  const claimOf = (name: string, storage: string): Step => [
    `core/persistentvolumeclaims/a/${name}`,
    { metadata: {}, spec: { resources: { requests: { storage } } } },
  ];
  const podOf = (name: string, cpu: string, status: JsonObject = {}): Step => [
    `core/pods/a/${name}`,
    { metadata: {}, spec: { containers: [{ resources: { requests: { cpu } } }] }, status },
  ];
  const service = (type: string): Step => [
    'core/services/a/s',
    { metadata: {}, spec: { type, ports: [{ port: 80 }] } },
  ];

  test('count amounts, and what a change adds to them', () => {
    const storage = quota('3Gi', '0', 'requests.storage');
    expect(quotasHold(past([storage], [claimOf('x', '1Gi')], [claimOf('y', '2Gi')]))).toEqual([]);
    expect(quotasHold(past([storage], [claimOf('x', '1Gi')], [claimOf('x', '4Gi')]))).toHaveLength(1);
    const cpu = quota('1', '0', 'requests.cpu');
    expect(quotasHold(past([cpu], [podOf('x', '600m')], [podOf('y', '500m')]))).toHaveLength(1);
    const over = podOf('x', '600m', { phase: 'Succeeded' });
    expect(quotasHold(past([cpu], [over], [podOf('y', '500m')]))).toEqual([]);
    const ports = quota('0', '0', 'services.nodeports');
    expect(quotasHold(past([ports], [service('ClusterIP')]))).toEqual([]);
    expect(quotasHold(past([ports], [service('ClusterIP')], [service('NodePort')]))).toHaveLength(1);
  });
  test('do not hold what nothing bounded against later writes', () => {
    const boundOf = ({ key }: { readonly key: string }, _commit: unknown, limit: { amount: bigint }) =>
      key === 'a/late' ? undefined : limit.amount;
    const commits = [[quota('1', '0')], [map('late')], [map('x')]];
    expect(quotasHold(past(...commits), { boundOf })).toEqual([]);
    expect(quotasHold(past(...commits, [map('y')]), { boundOf })).toHaveLength(1);
  });
  test('say in the end what is allowed and used', () => {
    const right: Step = [
      'core/resourcequotas/a/q',
      { metadata: {}, spec: { hard: { pods: '2' } }, status: { hard: { pods: '2' }, used: { pods: '1' } } },
    ];
    expect(wrongCounts(walk(past([right], [podOf('x', '1')]), {}))).toEqual([]);
    expect(wrongCounts(walk(past([right]), {}))).toEqual(['a/q says 1 of 2 pods, 0 of 2 are used']);
    expect(wrongCounts(walk(past([quota('1', '0')]), {}))).toHaveLength(1);
  });
});
