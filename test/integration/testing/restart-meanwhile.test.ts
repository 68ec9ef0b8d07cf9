/** What a test asks of a control plane while a fault restarts it waits for it, or is done before. */
import { setTimeout as pause } from 'node:timers/promises';
import { startControlPlane, type ControlPlane } from '../../../src/testing/index.ts';

let plane: ControlPlane;
beforeAll(async () => {
  plane = await startControlPlane();
});
afterAll(() => plane.stop());

const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' } };
/** Milliseconds after which it restarts: in any step of what is asked. */
const delays = Array.from({ length: 12 }, (_, i) => i * 2);

test.each([
  ['reset', () => plane.reset()],
  ['snapshot', () => plane.snapshot()],
  ['restore', async () => plane.restore(await plane.snapshot())],
  ['fork', async () => (await plane.fork()).stop()],
  ['settled', () => plane.settled()],
])('%s', async (_what, act: () => Promise<unknown>) => {
  for (const ms of delays) {
    const before = act();
    const restarted = pause(ms).then(() => plane.faults.restart());
    await Promise.all([before, restarted, pause(ms + 1).then(act), restarted.then(act)]);
  }
  await plane.admin.create(settings);
  await plane.reset();
});
