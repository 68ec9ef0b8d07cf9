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
