/** A crowd of watching clients seen from the bench. */
import { within, waitFor } from '../../support/wait-for.ts';
import type { CrowdAnswer, CrowdOrder, CrowdState } from './crowd-types.ts';
import { forkHere } from './load.ts';

const longest = 300_000;

export class Crowd implements Disposable {
  readonly #child = forkHere('crowd-worker.ts');

  /** Resolves when all clients are connected. @throws when one cannot connect at first */
  async gather(order: CrowdOrder): Promise<void> {
    const answer = await within('a crowd to gather', longest, this.#ask(order));
    if (answer.kind === 'error') throw new Error(answer.message);
  }

  async state(): Promise<CrowdState> {
    const answer = await this.#ask('state');
    if (answer.kind !== 'state') throw new Error('a crowd answered out of turn');
    return answer.state;
  }

  /** Waits until the state is as wanted. @throws when it does not come */
  async until(what: string, isWanted: (state: CrowdState) => boolean): Promise<CrowdState> {
    let last: CrowdState | undefined;
    const look = async (): Promise<CrowdState | false> => {
      last = await this.state();
      return isWanted(last) && last;
    };
    return waitFor(what, look, { timeout: longest, interval: 20, details: () => JSON.stringify(last) });
  }

  [Symbol.dispose](): void {
    this.#child.kill();
  }

  #ask(message: CrowdOrder | 'state'): Promise<CrowdAnswer> {
    const child = this.#child;
    child.send(message);
    return new Promise((resolve, reject) => {
      const onExit = (): void => reject(new Error('a crowd ended'));
      child.once('exit', onExit);
      child.once('message', (answer: CrowdAnswer) => {
        child.off('exit', onExit);
        resolve(answer);
      });
    });
  }
}
