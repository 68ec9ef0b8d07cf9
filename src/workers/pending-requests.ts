/** Requests to another process: numbered to match responses, with a timeout. */
import { systemClock } from '../base/clock.ts';
import { withDeadline } from '../base/pause.ts';

export class PendingRequests<A> {
  private readonly open = new Map<number, (answer: A) => void>();
  private last = 0;

  /**
   * Sends a request and resolves with its response.
   * @throws the error of `late` after `ms`
   */
  async request(send: (id: number) => void, ms: number, late: () => Error): Promise<A> {
    const id = (this.last += 1);
    const answer = new Promise<A>((resolve) => this.open.set(id, resolve));
    try {
      send(id);
      return await withDeadline(systemClock, answer, ms, late);
    } finally {
      this.open.delete(id);
    }
  }

  /** Resolves the request of a response; late responses are dropped. */
  answer(id: number, answer: A): void {
    this.open.get(id)?.(answer);
  }
}
