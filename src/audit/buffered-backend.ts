/**
 * An audit backend in mode `batch`: events wait in a bounded buffer and are written in batches; no request waits for
 * it. When the buffer is full the newest events are dropped and counted: the oldest show how an overload began.
 */
import type { Clock } from '../base/clock.ts';
import { pause, withDeadline } from '../base/pause.ts';
import type { BackendParts } from './blocking-backend.ts';
import { untilWritten } from './last-events.ts';
import type { AuditLine, AuditBackend } from './types.ts';
import type { AuditWriter, LossReport } from './audit-writer.ts';

export interface BatchOptions {
  /** Most events that wait. */
  readonly bufferSize: number;
  /** Most events of one batch. */
  readonly maxSize: number;
  /** Most bytes of one batch, unless a single event has more; at most 2 MiB count. */
  readonly maxBytes: number;
  /** How long a batch that is not full waits for more. */
  readonly maxWaitMs: number;
  /** Batches for each second on the average, and at once after a rest; undefined: as many as there are. */
  readonly throttle: { readonly qps: number; readonly burst: number } | undefined;
}

/** Events may be large; all that wait take no more characters than this. */
const maxWaitingLength = 64 * 1024 * 1024;
/** Most bytes of a batch, unless a single event has more: a batch is put together in one step. */
const maxBatchBytes = 2 * 1024 * 1024;
/** The end waits this long for a write that is given up: a disk may hang. */
const giveUpMs = 1_000;

export class BufferedBackend implements AuditBackend {
  readonly name: string;
  private readonly options: BatchOptions;
  private readonly clock: Clock;
  private readonly writer: AuditWriter;
  private readonly lost: LossReport;
  private waiting: AuditLine[] = [];
  private length = 0;
  private written = 0;
  private wake: () => void = () => undefined;
  private readonly closing = new AbortController();
  private readonly giveUp = new AbortController();
  private readonly running: Promise<void>;
  private tokens: number;
  private filledAt: number;

  constructor(name: string, options: BatchOptions, { clock, writer, lost }: BackendParts) {
    this.clock = clock;
    this.filledAt = clock.monotonic();
    this.name = name;
    this.options = options;
    this.writer = writer;
    this.lost = lost;
    this.tokens = options.throttle?.burst ?? 0;
    this.running = this.run();
  }

  take(line: AuditLine): void {
    const isFull =
      this.waiting.length >= this.options.bufferSize || this.length + line.length > maxWaitingLength;
    if (isFull || this.closing.signal.aborted) {
      this.lost(1, new Error(isFull ? 'the buffer is full' : 'the backend is closed'));
      return;
    }
    this.waiting.push(line);
    this.length += line.length;
    if (this.waiting.length === 1 || this.hasFullBatch()) this.wake();
  }

  /** Writes what waits without further pauses, as long as the writer takes it; the rest is lost. */
  async close(): Promise<void> {
    this.closing.abort();
    this.wake();
    const late = (): Error => new Error('time is up');
    if (!(await untilWritten(this.clock, this.running, () => this.written))) {
      this.giveUp.abort();
      await withDeadline(this.clock, this.running, giveUpMs, late).catch(() => undefined);
    }
    await this.writer.close();
  }

  private async run(): Promise<void> {
    const { signal } = this.closing;
    while (!signal.aborted || this.waiting.length > 0) {
      if (this.waiting.length === 0) await this.nextEvent();
      if (!this.hasFullBatch()) await this.fullBatch();
      await this.throttled();
      await this.writeBatch(this.nextBatch());
    }
  }

  private nextEvent(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
      if (this.closing.signal.aborted) resolve();
    });
  }

  private hasFullBatch(): boolean {
    return this.waiting.length >= this.options.maxSize || this.length >= this.maxBatchBytes();
  }

  private maxBatchBytes(): number {
    return Math.min(this.options.maxBytes, maxBatchBytes);
  }

  /** Waits until a batch is full, its time is over or the end is near. */
  private async fullBatch(): Promise<void> {
    const { maxWaitMs } = this.options;
    if (maxWaitMs === 0 || this.closing.signal.aborted) return;
    const full = new AbortController();
    this.wake = () => {
      if (this.hasFullBatch() || this.closing.signal.aborted) full.abort();
    };
    await pause(this.clock, maxWaitMs, full.signal);
    this.wake = () => undefined;
  }

  private async throttled(): Promise<void> {
    const { throttle } = this.options;
    if (!throttle || this.closing.signal.aborted) return;
    const now = this.clock.monotonic();
    this.tokens = Math.min(throttle.burst, this.tokens + ((now - this.filledAt) / 1_000) * throttle.qps);
    this.filledAt = now;
    this.tokens -= 1;
    if (this.tokens < 0) await pause(this.clock, (-this.tokens / throttle.qps) * 1_000, this.closing.signal);
  }

  private nextBatch(): AuditLine[] {
    const batch = this.waiting.splice(0, this.batchSize());
    for (const line of batch) this.length -= line.length;
    return batch;
  }

  private batchSize(): number {
    const { maxSize } = this.options;
    const maxBytes = this.maxBatchBytes();
    let bytes = 0;
    const isTooLarge = (line: AuditLine): boolean => (bytes += Buffer.byteLength(line)) > maxBytes;
    const first = this.waiting.slice(0, maxSize).findIndex(isTooLarge);
    return first < 0 ? maxSize : Math.max(1, first);
  }

  private async writeBatch(batch: readonly AuditLine[]): Promise<void> {
    if (batch.length === 0) return;
    try {
      await this.writer.write(batch, this.giveUp.signal);
      this.written += batch.length;
    } catch (error) {
      this.lost(batch.length, error);
    }
  }
}
