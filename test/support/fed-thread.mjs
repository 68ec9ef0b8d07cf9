/** A thread with a follower that is fed, and that hangs when it is told to; see hanging-thread.test.ts. */
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../src/base/clock.ts';
import { FedFollower } from '../../src/storage/feed/fed-follower.ts';

new FedFollower({ view: {}, clock: systemClock, times: { operation: 1_000 }, port: workerData.port }).start();
parentPort.once('message', () => {
  parentPort.postMessage('hangs');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});
parentPort.postMessage('ready');
