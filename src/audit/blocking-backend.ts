/**
 * An audit backend in mode `blocking`: a request goes on when its event is written, or lost. What one event takes, with
 * its wait for earlier ones, is limited: a sink that hangs holds every request equally long, not the last one longest.
 */
import type { Clock } from '../base/clock.ts';
import { withDeadline } from '../base/pause.ts';
import { timeLimit } from '../base/time-limit.ts';
import { untilWritten } from './last-events.ts';
import type { AuditLine, AuditBackend } from './types.ts';
import type { AuditWriter, LossReport } from './audit-writer.ts';

/** Longest time that one event may take. */
const writeMs = 30_000;
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

  constructor(name: string, { clock, writer, lost }: BackendParts) {
    this.clock = clock;
    this.name = name;
    this.writer = writer;
    this.lost = lost;
  }

  async take(line: AuditLine): Promise<void> {
    try {
      if (this.waiting.size >= maxWaiting || this.length + line.length > maxWaitingLength)
        throw new Error('too many events wait');
      using limit = timeLimit(this.clock, writeMs);
      await withDeadline(this.clock, this.write(line, limit.signal), writeMs, late);
    } catch (error) {
      this.lost(1, error);
      throw error;
    }
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
