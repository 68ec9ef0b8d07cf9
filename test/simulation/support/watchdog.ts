/** A history that holds the thread for ever ends the run, with its plan: nothing else could tell. */
import { Worker } from 'node:worker_threads';
import type { Plan } from './simulate.ts';

/** Seconds that no history takes. */
const longest = 60;

const program = `
  const { parentPort } = require('node:worker_threads');
  let timer;
  parentPort.on('message', (plan) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      process._rawDebug('a history holds the thread for ${String(longest)} s: ' + plan);
      process.kill(process.pid, 'SIGKILL');
    }, ${String(longest * 1_000)});
  });
`;

export interface HistoryWatch {
  begin(plan: Plan): void;
  end(): void;
}

/** Watches over the histories of this process until `end`. */
export function watchHistories(): HistoryWatch {
  const worker = new Worker(program, { eval: true });
  worker.unref();
  return {
    begin: (plan) => worker.postMessage(JSON.stringify(plan)),
    end: () => void worker.terminate(),
  };
}
