/** Limits of priority levels that lend, from their object to the metrics of a replica at the newest release. */
import { startEtcdCluster } from '../../support/etcd/cluster.ts';
import { startReplica, type Replica } from '../../support/replica.ts';
import { waitFor } from '../../support/wait-for.ts';

let stack: AsyncDisposableStack;
let replica: Replica;

beforeAll(async () => {
  stack = new AsyncDisposableStack();
  const etcd = stack.use(await startEtcdCluster({ how: 'process' }));
  replica = stack.use(await startReplica({ etcd, args: ['--emulated-release=1.36'] }));
});
afterAll(() => stack.disposeAsync());

async function figure(name: string): Promise<number | undefined> {
  const { text } = await replica.admin.get('/metrics');
  const found = new RegExp(`^apiserver_flowcontrol_${name}\\{priority_level="own"\\} (\\S+)$`, 'm').exec(
    text,
  );
  return found ? Number(found[1]) : undefined;
}

test('a level keeps what it does not lend, and borrows as much as it may', async () => {
  await replica.admin.ok('POST', '/apis/flowcontrol.apiserver.orch.io/v1/prioritylevelconfigurations', {
    metadata: { name: 'own' },
    spec: {
      type: 'Limited',
      limited: {
        ...{ nominalConcurrencyShares: 1_000, lendablePercent: 40, borrowingLimitPercent: 10 },
        limitResponse: { type: 'Reject' },
      },
    },
  });
  const nominal = await waitFor('the level to count', () => figure('nominal_limit_seats'));
  expect(nominal).toBeGreaterThan(100);
  expect(await figure('lower_limit_seats')).toBe(nominal - Math.round(nominal * 0.4));
  expect(await figure('upper_limit_seats')).toBe(nominal + Math.round(nominal * 0.1));
  // Nobody needs it: the next division lends it out.
  await waitFor('the division of seats', async () => (await figure('demand_seats_high_watermark')) === 0, {
    timeout: 60_000,
  });
  expect(await figure('current_limit_seats')).toBeGreaterThanOrEqual(
    (await figure('lower_limit_seats')) ?? NaN,
  );
}, 90_000);

const flowControl = '/apis/flowcontrol.apiserver.orch.io/v1';

test('the suggested levels lend as those of the release do, and nodes have a level of their own', async () => {
  const { items } = await replica.admin.list(`${flowControl}/prioritylevelconfigurations`);
  const lendable = items.map(({ metadata, spec }) => [
    metadata.name,
    (spec as { limited?: { lendablePercent?: number } }).limited?.lendablePercent,
  ]);
  expect(Object.fromEntries(lendable)).toMatchObject({
    ...{ 'catch-all': 0, 'global-default': 50, 'leader-election': 0, 'node-high': 25 },
    ...{ system: 33, 'workload-high': 50, 'workload-low': 90 },
  });
  const exempt = items.find(({ metadata }) => metadata.name === 'exempt');
  expect(exempt?.['spec']).toEqual({
    type: 'Exempt',
    exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 },
  });
  const schema = await replica.admin.ok('GET', `${flowControl}/flowschemas/system-node-high`);
  expect(schema['spec']).toMatchObject({
    priorityLevelConfiguration: { name: 'node-high' },
    matchingPrecedence: 400,
  });
});

test('the objects that the service keeps are accepted as they are read', async () => {
  for (const name of ['catch-all', 'exempt', 'workload-low']) {
    const path = `${flowControl}/prioritylevelconfigurations/${name}`;
    const level = await replica.admin.ok('GET', path);
    const answer = await replica.admin.ok('PUT', path, level);
    expect([name, answer.metadata.resourceVersion]).toEqual([name, level.metadata.resourceVersion]);
  }
});

test('lists take seats by what they read, and writes by who watches', async () => {
  const maps = '/api/v1/namespaces/default/configmaps';
  const data = { text: 'x'.repeat(20_000) };
  for (let i = 0; i < 12; i += 1)
    await replica.admin.ok('POST', maps, { metadata: { name: `map-${String(i)}` }, data });
  await replica.admin.list(`${maps}?resourceVersion=0`);
  const { text } = await replica.admin.get('/metrics');
  // 12 of 20 kB: three seats of 100 kB, which are more than one and no more than four.
  const upTo = (bound: string): number =>
    Number(
      new RegExp(
        `work_estimated_seats_bucket\\{[^}]*priority_level="exempt"[^}]*le="${bound}"[^}]*\\} (\\d+)`,
      ).exec(text)?.[1],
    );
  expect(upTo('4') - upTo('2')).toBe(1);
  expect(text).toContain('apiserver_flowcontrol_watch_count_samples_count{');
});
