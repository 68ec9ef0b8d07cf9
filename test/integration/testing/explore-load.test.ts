/** What a seed and a virtual clock decide is the same however busy the machine is. */
import {
  explore,
  ExploreFailure,
  startControlPlane,
  type ApiClient,
  type ControlPlane,
  type ExploredTest,
  type FaultKind,
} from '../../../src/testing/index.ts';
import { onBusyMachine } from '../../support/busy-machine.ts';
import { waitFor } from '../../support/wait-for.ts';

const maps = { apiVersion: 'v1', kind: 'ConfigMap' } as const;
const map = (name: string) => ({ ...maps, metadata: { name }, data: { level: 'low' } });
const admins = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: { name: 'controller' },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
  subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'controller' }],
};
/** A restart changes what a client asks: it tries until there is a server again. */
const faults: readonly FaultKind[] = [
  ...(['closeWatches', 'expireHistory', 'staleReads', 'lagReplica'] as const),
  ...(['conflicts', 'delay', 'refuse', 'loseAnswers'] as const),
];
const scope = { user: 'controller' };

let controlPlane: ControlPlane;

beforeAll(async () => {
  controlPlane = await startControlPlane({ users: [{ name: 'controller' }], objects: [admins] });
  await waitFor('the permissions', () => controlPlane.as('controller').list(maps));
});

afterAll(() => controlPlane.stop());

/** One request after the other, whatever the answers are. */
async function asks(client: ApiClient): Promise<void> {
  const ignored = (answer: Promise<unknown>): Promise<unknown> => answer.catch(() => undefined);
  for (const name of ['one', 'two', 'three']) {
    await ignored(client.create(map(name)));
    await ignored(client.list(maps, { namespace: 'default', resourceVersion: '0' }));
    await ignored(client.get(map(name)));
    await ignored(client.patch(map(name), { data: { level: 'high' } }));
    await ignored(client.list(maps));
    await ignored(client.delete(map(name)));
  }
}

/** Of each seed: which requests were struck by what, in order. */
async function strikesOfSeeds(seeds: number): Promise<readonly string[]> {
  const found: string[] = [];
  const test: ExploredTest = async ({ seed }) => {
    await asks(controlPlane.as('controller'));
    for (const { kind, verb, resource, name, did } of await controlPlane.faults.log())
      found.push(`${String(seed)}: ${[kind, verb, resource, name, did].join(' ')}`);
  };
  await explore(test, { controlPlane, seeds, scope, faults, timeoutMs: 60_000 });
  return found;
}

test('a seed strikes the same requests in the same order', async () => {
  const quiet = await strikesOfSeeds(12);
  expect(quiet.length).toBeGreaterThan(24);
  expect(await onBusyMachine(() => strikesOfSeeds(12))).toEqual(quiet);
}, 120_000);

test('a failure names the seed that fails, and repeats by what it prints', async () => {
  const user = controlPlane.as('controller');
  const test: ExploredTest = async () => {
    await user.create(map('one'));
    await user.patch(map('one'), { data: { level: 'high' } });
  };
  const failure = (): Promise<unknown> =>
    explore(test, { controlPlane, seeds: 100, scope, faults: ['refuse'], timeoutMs: 60_000 }).catch(
      (error: unknown) => error,
    );
  const found = await failure();
  expect(found).toBeInstanceOf(ExploreFailure);
  const { seed, plan, cause } = found as ExploreFailure;
  const message = (cause as Error).message;
  await onBusyMachine(async () => {
    expect(await failure()).toMatchObject({ seed, plan });
    const again = explore(test, { controlPlane, seed, plan, shrinkRuns: 0, timeoutMs: 60_000 });
    await expect(again).rejects.toMatchObject({ seed, cause: { message } });
  });
}, 120_000);

const event = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name },
  involvedObject: { kind: 'ConfigMap', name: 'one', namespace: 'default' },
});

/** In which order events of different times go. */
async function expiries(): Promise<readonly string[]> {
  await using virtual = await startControlPlane({ clock: 'virtual', flags: { 'event-ttl': '10m' } });
  const names = ['e', 'd', 'c', 'b', 'a'];
  for (const name of names) {
    await virtual.admin.create(event(name));
    await virtual.advance('2m');
  }
  const gone: string[] = [];
  for (let minutes = 0; minutes < 12; minutes += 2) {
    const { items } = await virtual.admin.list({ apiVersion: 'v1', kind: 'Event' }, { namespace: 'default' });
    const left = new Set(items.map(({ metadata }) => metadata.name));
    gone.push(...names.filter((name) => !left.has(name) && !gone.includes(name)));
    await virtual.advance('2m');
  }
  return gone;
}

test('what becomes due comes in its order', async () => {
  expect(await onBusyMachine(expiries)).toEqual(['e', 'd', 'c', 'b', 'a']);
}, 120_000);
