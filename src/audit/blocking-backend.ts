/**
 * An audit backend in mode `blocking`: a request goes on when its event is written, or lost. What one event takes, with
 * its wait for earlier ones, is limited: a sink that hangs holds every request equally long, not the last one longest.
 * A sink that has taken nothing for that time holds no further ones: it is stuck.
 *
 *   working ──an event's time is over, and none was taken meanwhile──▶ stuck ──it takes an event──▶ working
 *                                                                       └─ one event at a time tries it; others are lost at once
 */
import type { Clock } from '../base/clock.ts';
import { unlessAborted, withDeadline } from '../base/pause.ts';
import { timeLimit } from '../base/time-limit.ts';
import { untilWritten } from './last-events.ts';
import type { AuditLine, AuditBackend } from './types.ts';
import type { AuditWriter, LossReport } from './audit-writer.ts';

/** Longest time that one event may take. */
const writeMs = 30_000;
/** How long a request waits whose event tries a stuck sink; the event itself has the usual time. */
const trialMs = 1_000;
/** No request waits for the event of its response, so what waits is bounded: more events are dropped at once. */
const maxWaiting = 10_000;
/** Events may be large; all that wait take no more characters than this. */
const maxWaitingLength = 64 * 1024 * 1024;

const late = (): Error => new Error('the sink did not take it in time');

/** What a backend writes with. */
export interface BackendParts {
  readonly clock: Clock;
  readonly writer: AuditWriter;
  readonly lost: LossReport;
}

export class BlockingBackend implements AuditBackend {
  readonly name: string;
  private readonly clock: Clock;
  private readonly writer: AuditWriter;
  private readonly lost: LossReport;
  private readonly waiting = new Set<Promise<void>>();
  private length = 0;
  private written = 0;
  private isStuck = false;
  private isTried = false;

  constructor(name: string, { clock, writer, lost }: BackendParts) {
    this.clock = clock;
    this.name = name;
    this.writer = writer;
    this.lost = lost;
  }

  async take(line: AuditLine): Promise<void> {
    if (this.waiting.size >= maxWaiting || this.length + line.length > maxWaitingLength)
      this.lose(new Error('too many events wait'));
    if (!this.isStuck) return this.record(line);
    if (this.isTried) this.lose(new Error('the sink takes no events'));
    return withDeadline(this.clock, this.tryWith(line), trialMs, late);
  }

  private async tryWith(line: AuditLine): Promise<void> {
    this.isTried = true;
    await this.record(line).finally(() => (this.isTried = false));
  }

  /** @throws Error if it was not written, which is counted */
  private async record(line: AuditLine): Promise<void> {
    const before = this.written;
    using limit = timeLimit(this.clock, writeMs);
    try {
      await unlessAborted(this.write(line, limit.signal), limit.signal);
      this.isStuck = false;
    } catch (error) {
      if (limit.signal.aborted && this.written === before) this.isStuck = true;
      this.lose(limit.signal.aborted ? late() : error);
    }
  }

  private lose(cause: unknown): never {
    this.lost(1, cause);
    throw cause;
  }

  /** Counted until the writer is through with it, which may be later than anybody waits. */
  private async write(line: AuditLine, signal: AbortSignal): Promise<void> {
    const written = this.writer.write([line], signal);
    this.waiting.add(written);
    this.length += line.length;
    await written.finally(() => {
      this.waiting.delete(written);
      this.length -= line.length;
    });
    this.written += 1;
  }

  /** Waits for what was taken, as long as the writer takes events. */
  async close(): Promise<void> {
    await untilWritten(this.clock, Promise.allSettled(this.waiting), () => this.written);
    await this.writer.close();
  }
}
