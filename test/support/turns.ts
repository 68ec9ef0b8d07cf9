/** How long single turns of the event loop hold the thread. */
import { threadCpuMs } from './cpu-time.ts';

/** Processor time of the turns of the event loop until work that this call starts is done, in descending order. */
export async function turnsOf(work: () => unknown): Promise<number[]> {
  const turns: number[] = [];
  let begin = threadCpuMs();
  const note = (): void => {
    const now = threadCpuMs();
    turns.push(now - begin);
    begin = now;
  };
  let timer = setImmediate(function next() {
    note();
    timer = setImmediate(next);
  });
  await work();
  note();
  clearImmediate(timer);
  return turns.sort((a, b) => b - a);
}
