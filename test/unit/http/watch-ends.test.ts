/** Metrics tell why each watch ended, and how long it lasted. */
import { badRequest, expired } from '../../../src/meta/status.ts';
import { openRoom } from '../../support/http/room.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

const pods = '/api/v1/namespaces/x/pods';

test('clients that go, timeouts, expired versions, errors and the stop of the process are counted', async () => {
  const folder = await makeTempFolder('watch-ends');
  const room = await openRoom(folder.path);
  const counted = async (reason: string): Promise<boolean> =>
    (await room.metrics.text()).includes(`apiserver_watch_ends_total{resource="pods",reason="${reason}"} 1`);
  try {
    (await room.open(`${pods}?watch=1`)).destroy();
    await waitFor('the client', () => counted('client'));
    (await room.open(`${pods}?watch=1&timeoutSeconds=1`)).resume();
    await waitFor('the timeout', () => counted('timeout'));
    for (const [error, reason] of [
      [expired('too old'), 'expired'],
      [badRequest('no'), 'error'],
    ] as const) {
      room.verbs.watches.length = 0;
      (await room.open(`${pods}?watch=1`)).resume();
      room.verbs.watches[0]?.sink.onError(error);
      await waitFor(reason, () => counted(reason));
    }
    expect(await room.metrics.text()).toContain('apiserver_watch_duration_seconds_count{resource="pods"} 4');
    (await room.open(`${pods}?watch=1`)).resume();
  } finally {
    await room.close();
    await folder.remove();
  }
  expect(await counted('shutdown')).toBe(true);
});
