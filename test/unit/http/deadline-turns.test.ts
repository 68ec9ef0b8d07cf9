/** Requests whose time is over at once are given up a few in a turn. */
import { withDeadline } from '../../../src/http/filters/deadline.ts';
import type { RequestContext } from '../../../src/http/request-context.ts';
import { HandClock } from '../../support/hand-clock.ts';
import { TurnCounts } from '../../support/turn-counts.ts';
import { waitFor } from '../../support/wait-for.ts';

const count = 500;

class Request {
  readonly [member: string]: unknown;
  readonly longRunning = false;
  readonly startedAt = 0;
  readonly query = { text: '' };
  readonly res = { headersSent: true, destroy: (): void => undefined };
  slot = -1;
  overdueAt = Infinity;
  isOver = false;
  readonly #counts: TurnCounts;
  #onClose = (): void => undefined;

  constructor(counts: TurnCounts) {
    this.#counts = counts;
  }

  onClose(action: () => void): void {
    this.#onClose = action;
  }

  isClosed(): boolean {
    return this.isOver;
  }

  cancel(): void {
    this.#counts.note();
  }

  end(): void {
    this.isOver = true;
    this.#onClose();
  }
}

test('those that end by themselves meanwhile are none of them', async () => {
  const clock = new HandClock();
  const counts = new TurnCounts();
  const told: unknown[] = [];
  const { step, close } = withDeadline({ clock, maxMs: 1_000, onTimeout: (context) => told.push(context) });
  try {
    const requests = Array.from({ length: count }, () => new Request(counts));
    for (const request of requests) void step(request as unknown as RequestContext);
    clock.advance(1_250);
    requests.at(-1)?.end();
    await waitFor('all others', () => counts.all >= count - 1);
    expect([counts.all, told.length]).toEqual([count - 1, count - 1]);
    expect(counts.most).toBeLessThanOrEqual(16);
    clock.advance(1_250);
    expect(counts.all).toBe(count - 1);
  } finally {
    close();
    counts.end();
  }
});
