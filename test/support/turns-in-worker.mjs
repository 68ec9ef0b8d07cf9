/** Loaded into a worker by NODE_OPTIONS, see longest-turn.ts: a signal begins to measure turns of its event loop, the next one tells. */
import { isMainThread } from 'node:worker_threads';

let timer;
let begin = 0;
let longest = 0;
const spentMs = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};
const note = () => {
  const now = spentMs();
  longest = Math.max(longest, now - begin);
  begin = now;
};
// Comes in every turn that lasts, and costs little in between.
const measure = () => {
  note();
  timer = setTimeout(measure, 1);
};

if (isMainThread && process.argv[1]?.includes('worker-main'))
  process.on('SIGURG', () => {
    if (timer === undefined) {
      [begin, longest, timer] = [spentMs(), 0, setTimeout(measure, 1)];
      return;
    }
    note();
    clearTimeout(timer);
    timer = undefined;
    console.log(`longest turn: ${longest} ms`);
  });
