/** A thread that takes and gives room that it shares, and looks how much all have; see shared-counts.test.ts. */
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../src/base/clock.ts';
import { sharedCounts } from '../../src/base/shared-counts.ts';
import { SharedRoom } from '../../src/base/shared-room.ts';

const { limit, held } = workerData;
const wanted = 2_000;
/** What all threads hold. */
const all = new Int32Array(held);
const room = new SharedRoom({
  counts: sharedCounts(workerData),
  name: 'room',
  clock: systemClock,
  onLook: work,
});
const alive = setInterval(() => undefined, 1_000);
let grants = 0;
let most = 0;

function work() {
  for (let i = 0; i < 500 && grants < wanted; i += 1) {
    let own = 0;
    while (room.tryTake(1, limit)) {
      own += 1;
      most = Math.max(most, Atomics.add(all, 0, 1) + 1);
    }
    grants += own;
    Atomics.sub(all, 0, own);
    room.give(own);
  }
  room.setWaiting(grants < wanted ? 1 : 0);
  if (grants < wanted) return;
  clearInterval(alive);
  parentPort.postMessage({ most, hasAll: true });
}
room.setWaiting(1);
