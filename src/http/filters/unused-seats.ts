/**
 * Seats of requests that wait for their client, which does not read the response or does not send the body. While other
 * requests wait for a seat, such a request gives its seat back and continues without: otherwise a user with as many slow
 * connections as a priority level has seats would block all other users of that level until the deadlines pass.
 *
 *   seated ──waits for its client while others wait for a seat──▶ unseated ──over its limits──▶ closed, the oldest first
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock, Timer } from '../../base/clock.ts';
import { SlotSet, type Slotted } from '../../base/slot-set.ts';
import type { PriorityLevel } from '../../flowcontrol/priority-level.ts';
import type { Seat } from '../../flowcontrol/seat.ts';
import type { RequestContext } from '../request-context.ts';
import { sentOnStream } from '../http2/stream-response.ts';
import { UnseatedRequests, type UnseatedLimits } from './unseated-requests.ts';

export interface UnusedSeatsOptions {
  /** Time between two checks while requests wait for a seat. */
  readonly checkMs: number;
  /** A client that takes fewer bytes of its response between two checks is slow. */
  readonly leastBytes: number;
  readonly unseated: UnseatedLimits;
}

const megabyte = 1024 * 1024;

/** Clients that read less than 1.3 MB a second are slow. */
export const usualUnusedSeats: UnusedSeatsOptions = {
  checkMs: 50,
  leastBytes: 64 * 1024,
  unseated: { total: 64 * megabyte, perUser: 16 * megabyte, leastBytes: 64 * 1024 },
};

/** The checks go on for this time after the last request that found no seat. */
const checkForMs = 1_000;

interface Seated extends Slotted {
  readonly context: RequestContext;
  readonly level: PriorityLevel;
  readonly seat: Seat;
  /** At the last check: its body was arriving. */
  wasReading: boolean;
  /** At the last check: bytes that had left the process; undefined: the response was not waiting for the client. */
  sentBytes: number | undefined;
}

export class UnusedSeats {
  readonly #options: UnusedSeatsOptions;
  /** Of every request there is: a set that does not burden the collector. */
  readonly #seated = new SlotSet<Seated>();
  readonly #unseated: UnseatedRequests;
  readonly #clock: Clock;
  #timer: Timer | undefined;
  #checkUntil = 0;
  #waiting = 0;

  /** @param reject ends a request that holds more than its user may hold without a seat */
  constructor(options: UnusedSeatsOptions, clock: Clock, reject: (context: RequestContext) => void) {
    this.#options = options;
    this.#clock = clock;
    this.#unseated = new UnseatedRequests(options.unseated, reject);
  }

  /** The request has this seat from now on. */
  add(context: RequestContext, level: PriorityLevel, seat: Seat): void {
    if (level.isExempt) return;
    const seated: Seated = { context, level, seat, wasReading: false, sentBytes: undefined, slot: -1 };
    this.#seated.add(seated);
    context.onClose(() => {
      this.#seated.delete(seated);
    });
  }

  /** Checks for unused seats while the request waits for one. */
  async during<T>(wait: Promise<T>): Promise<T> {
    this.#waiting += 1;
    this.#timer ??= this.#checkOften();
    try {
      return await wait;
    } finally {
      this.#waiting -= 1;
      this.#checkUntil = this.#clock.monotonic() + checkForMs;
    }
  }

  #checkOften(): Timer {
    const timer = this.#clock.setInterval(() => this.#check(), this.#options.checkMs);
    timer.unref();
    return timer;
  }

  #check(): void {
    if (this.#waiting === 0 && this.#clock.monotonic() > this.#checkUntil) {
      this.#clock.clear(this.#timer);
      this.#timer = undefined;
      return;
    }
    for (const seated of this.#seated.members())
      if (seated.level.isFull && this.#isUnused(seated)) this.#release(seated);
  }

  #release(seated: Seated): void {
    const { context, level, seat } = seated;
    this.#seated.delete(seated);
    this.#unseated.add(context);
    level.leave(seat);
  }

  /** True if it has waited for its client since the last check. */
  #isUnused(seated: Seated): boolean {
    const { req, res, isReadingBody } = seated.context;
    const { wasReading, sentBytes } = seated;
    const isBlocked = (res.writableNeedDrain || res.writableEnded) && !res.writableFinished;
    seated.wasReading = isReadingBody;
    seated.sentBytes = isBlocked ? sentBytesOf(req, res) : undefined;
    if (isReadingBody) return wasReading;
    if (sentBytes === undefined || seated.sentBytes === undefined) return false;
    return seated.sentBytes - sentBytes < this.#options.leastBytes;
  }
}

/** Bytes of the connection that have left the process; of HTTP/2, bytes of this response. */
function sentBytesOf({ socket }: IncomingMessage, res: ServerResponse): number {
  return sentOnStream(res) ?? socket.bytesWritten - socket.writableLength;
}
