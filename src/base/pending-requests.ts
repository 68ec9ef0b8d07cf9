/** Requests to another process or thread: numbered to match responses, which may come in parts, with a timeout. */
import type { Clock } from './clock.ts';
import { withDeadline } from './pause.ts';

interface OpenRequest<P> {
  readonly received: P[];
  readonly resolve: (all: readonly P[]) => void;
}

export class PendingRequests<P> {
  private readonly clock: Clock;
  private readonly open = new Map<number, OpenRequest<P>>();
  private last = 0;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /**
   * Sends a request and resolves with its response, all parts in one list.
   * @throws the error of `late` after `ms`
   */
  async request(send: (id: number) => void, ms: number, late: () => Error): Promise<readonly P[]> {
    const id = (this.last += 1);
    const answer = new Promise<readonly P[]>((resolve) => this.open.set(id, { received: [], resolve }));
    try {
      send(id);
      return await withDeadline(this.clock, answer, ms, late);
    } finally {
      this.open.delete(id);
    }
  }

  /** A part of a response; the last one resolves the request. Late responses are dropped. */
  answer(id: number, part: readonly P[], isLast: boolean): void {
    const request = this.open.get(id);
    if (!request) return;
    request.received.push(...part);
    if (isLast) request.resolve(request.received);
  }

  /** The other side is gone: open requests resolve with what they have. */
  close(): void {
    for (const { received, resolve } of this.open.values()) resolve(received);
  }
}
