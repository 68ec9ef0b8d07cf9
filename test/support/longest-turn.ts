/** How long a serving process holds its thread, by processor time: whatever else the machine does, others wait no less. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { waitFor } from './wait-for.ts';

/** For the environment of a service whose turns are measured. */
export const measuredTurns = {
  NODE_OPTIONS: `--import=${pathToFileURL(join(import.meta.dirname, 'turns-in-worker.mjs')).href}`,
};

/** A worker of a service that was started with `measuredTurns`. */
export interface MeasuredWorker {
  readonly pid: number;
  /** What the service printed. */
  readonly output: () => string;
}

/** The longest turn of the event loop, in milliseconds of processor time of the thread, while something is done. */
export async function longestTurnMs(
  { pid, output }: MeasuredWorker,
  act: () => Promise<unknown>,
): Promise<number> {
  const told = (): string[] => [...output().matchAll(/longest turn: ([\d.]+) ms/g)].map(([, ms = '']) => ms);
  const before = told().length;
  process.kill(pid, 'SIGURG');
  await act();
  process.kill(pid, 'SIGURG');
  const all = await waitFor('the longest turn', () => told().length > before && told());
  return Number(all.at(-1));
}
