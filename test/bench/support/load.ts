/** A load generator seen from the bench. */
import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';

import { nodeBinary } from '../../support/paths.ts';
import { within } from '../../support/wait-for.ts';
import type { Load, LoadAnswer, RequestLoad, WatchLoad } from './load-types.ts';
import type { RunReport } from './run.ts';

/** What a load may take longer than it was told to. */
const graceMs = 60_000;

/** Forks a program of this folder that ends when the bench does. */
export function forkHere(file: string): ChildProcess {
  return fork(join(import.meta.dirname, file), {
    execPath: nodeBinary(),
    execArgv: [],
    serialization: 'advanced',
  });
}

export class LoadGenerator implements Disposable {
  readonly #child = forkHere('load-worker.ts');

  /** Makes the load and resolves with what came of it. @throws when a connection breaks */
  async run(load: RequestLoad): Promise<RunReport> {
    const answers = this.#send(load);
    return report(await within('a load generator', load.seconds * 1000 + graceMs, answers()));
  }

  /** Opens the watches, then lets `act` happen, and resolves when all events were seen. */
  async watch(load: WatchLoad, act: () => Promise<unknown>): Promise<RunReport> {
    const answers = this.#send(load);
    const first = await within('watches to open', graceMs, answers());
    if (first.kind !== 'ready') return report(first);
    const seen = within(`${load.watchers} watches to see ${load.events} events each`, graceMs, answers());
    const [last] = await Promise.all([seen, act()]);
    return report(last);
  }

  [Symbol.dispose](): void {
    this.#child.kill();
  }

  /** Gives the answers in their order. */
  #send(load: Load): () => Promise<LoadAnswer> {
    const child = this.#child;
    child.send(load);
    return () =>
      new Promise((resolve, reject) => {
        const onExit = (): void => reject(new Error('a load generator ended'));
        child.once('exit', onExit);
        child.once('message', (answer: LoadAnswer) => {
          child.off('exit', onExit);
          resolve(answer);
        });
      });
  }
}

function report(answer: LoadAnswer): RunReport {
  if (answer.kind === 'report') return answer.report;
  throw new Error(answer.kind === 'error' ? answer.message : 'a load generator answered out of turn');
}
