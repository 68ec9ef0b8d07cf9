/** A restart whose server stays away for long: whoever wants it back, or does not want it any more, need not wait for it. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { startControlPlane, type ControlPlane } from '../../../src/testing/index.ts';
import { waitFor } from '../../support/wait-for.ts';

const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' } };

let controlPlane: ControlPlane;

afterEach(() => controlPlane.stop());

async function isThere(): Promise<boolean> {
  const socket = connect(controlPlane.port, '127.0.0.1');
  const found = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return found;
}

/** @returns what resolves when the restart is over */
async function goAway(): Promise<{ readonly back: Promise<unknown> }> {
  const back = controlPlane.faults.restart({ downFor: '1h' });
  await waitFor('it to be away', async () => !(await isThere()));
  return { back };
}

test('stop does not wait for it', async () => {
  controlPlane = await startControlPlane();
  const { back } = await goAway();
  await controlPlane.stop();
  await back;
  expect(await isThere()).toBe(false);
});

test.each(['reset', 'clear'] as const)('%s brings it back', async (call) => {
  controlPlane = await startControlPlane();
  await controlPlane.admin.create(settings);
  const { back } = await goAway();
  await (call === 'reset' ? controlPlane.reset() : controlPlane.faults.clear());
  await back;
  expect((await controlPlane.admin.find(settings)) === undefined).toBe(call === 'reset');
});

test('settled says that it is away', async () => {
  controlPlane = await startControlPlane();
  await goAway();
  await expect(controlPlane.settled({ timeoutMs: 10 })).rejects.toThrow(
    'the control plane is away: a fault restarts it',
  );
});

test('until is over in its time, and says that nothing answers', async () => {
  controlPlane = await startControlPlane();
  await goAway();
  const waited = controlPlane.until(settings, (found) => found !== undefined, { timeoutMs: 10 });
  await expect(waited).rejects.toThrow(
    /within 10 ms\.\nThe control plane did not say whether it exists\.\nIts events cannot be read: .*\n1 requests were struck by faults/,
  );
});

test('what needs a server does not wait for one for ever', async () => {
  controlPlane = await startControlPlane();
  const snapshot = await controlPlane.snapshot();
  await goAway();
  await expect(controlPlane.restore(snapshot)).rejects.toThrow('the control plane is away');
});

test('virtual time passes while it is away, and brings it back', async () => {
  controlPlane = await startControlPlane({ clock: 'virtual' });
  const { back } = await goAway();
  await controlPlane.advance('30m');
  expect(await isThere()).toBe(false);
  await controlPlane.advance('31m');
  await back;
  await controlPlane.settled();
  await controlPlane.admin.create(settings);
});
