/** Timers that a test fakes hold up neither the service nor the waits for it. */
import { startControlPlane, UntilTimeout, type ControlPlane } from '../../../src/testing/index.ts';

const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' } };

beforeEach(() => {
  jest.useFakeTimers({ now: 0 });
});

afterEach(() => {
  jest.useRealTimers();
});

async function use(controlPlane: ControlPlane): Promise<void> {
  await controlPlane.admin.create(map);
  expect(await controlPlane.until(map, (found) => found !== undefined)).toMatchObject(map);
  await controlPlane.settled();
  await controlPlane.reset();
}

test('a control plane starts, is used, forked and stopped, and its time goes on', async () => {
  await using controlPlane = await startControlPlane({ clock: 'virtual' });
  await use(controlPlane);
  await using fork = await controlPlane.fork();
  await use(fork);
  expect((await controlPlane.advance('1h')).getFullYear()).toBeGreaterThan(2000);
});

test('what is waited for in vain ends in its time', async () => {
  await using controlPlane = await startControlPlane();
  const waiting = controlPlane.until(map, (found) => found !== undefined, { timeoutMs: 100 });
  await expect(waiting).rejects.toThrow(UntilTimeout);
});
