/** An audit backend in mode `blocking`: each event is written before its request goes on, one after the other. */
import { withDeadline } from '../base/pause.ts';
import type { AuditLine, AuditBackend } from './types.ts';
import type { AuditWriter, LossReport } from './audit-writer.ts';

/** Longest time that one event may take. */
const writeMs = 30_000;
/** No request waits for the event of its response, so the queue is bounded: more events are dropped at once. */
const maxWaiting = 10_000;

export class BlockingBackend implements AuditBackend {
  readonly name: string;
  private readonly writer: AuditWriter;
  private readonly lost: LossReport;
  private last: Promise<void> = Promise.resolve();
  private waiting = 0;

  constructor(name: string, { writer, lost }: { readonly writer: AuditWriter; readonly lost: LossReport }) {
    this.name = name;
    this.writer = writer;
    this.lost = lost;
  }

  async take(line: AuditLine): Promise<void> {
    try {
      if (this.waiting >= maxWaiting) throw new Error('too many events wait');
      await this.inTurn(line);
    } catch (error) {
      this.lost(1, error);
      throw error;
    }
  }

  private async inTurn(line: AuditLine): Promise<void> {
    this.waiting += 1;
    const written = this.last.then(() => this.writer.write([line], AbortSignal.timeout(writeMs)));
    this.last = written.catch(() => undefined);
    await written.finally(() => {
      this.waiting -= 1;
    });
  }

  async close(): Promise<void> {
    await withDeadline(this.last, writeMs, () => new Error('time is up')).catch(() => undefined);
    await this.writer.close();
  }
}
