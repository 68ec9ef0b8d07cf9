/** Waits for a control plane that a fault keeps away. */
import { systemClock } from '../../../src/base/clock.ts';
import { Restarts } from '../../../src/testing/host/restarts.ts';

const done = (): Promise<void> => Promise.resolve();

test('what needs a server waits for a restart, and gives up where it stays away', async () => {
  const restarts = new Restarts({ clock: systemClock, close: done, serve: done });
  void restarts.begin(3_600_000);
  const acted: string[] = [];
  const act = (what: string) => () => {
    acted.push(what);
    return done();
  };
  await expect(restarts.whileServing(act('early'), 5)).rejects.toThrow('the control plane is away');
  const later = restarts.whileServing(act('later'), 60_000);
  restarts.comeBack();
  await later;
  expect(acted).toEqual(['later']);
});
