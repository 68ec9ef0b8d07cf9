/** A write thread that answers at once, and counts in shared memory how often it has nothing to do. */
import { parentPort, workerData } from 'node:worker_threads';

const { rests } = workerData.config;

parentPort.on('message', ({ kind, job }) => {
  if (kind === 'rest') Atomics.add(rests, 0, 1);
  if (kind === 'make')
    parentPort.postMessage({ kind: 'done', job, answer: { kind: 'form', bytes: new Uint8Array(1) } });
});
parentPort.postMessage({ kind: 'ready' });
