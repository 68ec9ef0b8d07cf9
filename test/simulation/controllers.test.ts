/** The simulation finds what it must in quotas, addresses, finalizers, namespaces and controllers. */
import { withControllers } from './support/controller-mutations.ts';
import { runSimulation } from './support/run-simulation.ts';
import { testMutations } from './support/test-mutations.ts';

test('histories with controllers keep every promise', async () => {
  const report = await runSimulation(['--level=controllers', '--seed=1', '--seeds=100', '--minutes=5']);
  expect(report.failures === 0 ? 'no violation' : report.text).toBe('no violation');
  expect(report.histories).toBe(100);
}, 400_000);

test.each([375033094, 1235411102])(
  'what the collector deletes first and a tenant deletes again, with another policy, is no violation: seed %i',
  async (seed) => {
    const report = await runSimulation(['--level=controllers', `--seed=${String(seed)}`, '--seeds=1']);
    expect(report.failures === 0 ? 'no violation' : report.text).toBe('no violation');
  },
  400_000,
);

test('a circle of owners of which one has waited is no violation: seed 788492363', async () => {
  const report = await runSimulation(['--level=controllers', '--seed=788492363', '--seeds=1']);
  expect(report.failures === 0 ? 'no violation' : report.text).toBe('no violation');
}, 400_000);

testMutations(Object.keys(withControllers));
