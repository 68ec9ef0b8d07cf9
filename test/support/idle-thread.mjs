/** A thread that makes 200 MB of garbage, and then collects it: what its heap takes before and after. */
import { parentPort } from 'node:worker_threads';
import { getHeapStatistics } from 'node:v8';
import { collectGarbage } from '../../src/base/collect-garbage.ts';

const takenBytes = () => getHeapStatistics().total_heap_size;
const text = `[${'{},'.repeat(3_000_000)}0]`;
let used = JSON.parse(text);
used = undefined;
const before = takenBytes();
collectGarbage();
const after = takenBytes();
// What would be collected now is too little.
used = JSON.parse(`[${'{},'.repeat(10_000)}0]`);
const grown = takenBytes();
used = undefined;
collectGarbage();
parentPort.postMessage({ before, after, grown, last: takenBytes(), used });
