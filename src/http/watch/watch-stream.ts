/**
 * The response stream of a watch.
 *
 *   waiting ──begin, or a first event──▶ open ──end, error, too slow──▶ ended
 *      └──────refused (HTTP status)──────────────▶ ended ◀──client gone──┘
 */
import type { HistogramSeries, NumberSeries } from '../../observe/metric-series.ts';
import type { Logger } from '../../observe/log.ts';
import type { WatchItem, WatchSink } from '../../registry/types.ts';
import type { Revision } from '../../storage/types.ts';
import type { RequestContext } from '../request-context.ts';
import type { Representation } from '../representation/types.ts';
import { toStatus } from '../respond.ts';
import type { OpenWatch, WatchLimits } from './open-watches.ts';
import { watchOutputOf, type WatchOutput } from './watch-output.ts';

/** Time for a client to read buffered data after the end. */
const endGraceMs = 10_000;

export interface WatchStreamParts {
  readonly context: RequestContext;
  readonly representation: Representation;
  readonly limits: WatchLimits;
  /** Maximum bytes buffered for this client now. */
  readonly mayWait: () => number;
  readonly wantsBookmarks: boolean;
  readonly timeoutMs: number;
  /** Events sent. */
  readonly events: NumberSeries;
  readonly eventSizes: HistogramSeries;
  /** Events of the state that the watch begins with. */
  readonly initEvents: NumberSeries;
  /** Watches terminated because the client was too slow. */
  readonly terminated: NumberSeries;
  readonly logger: Logger;
}

export class WatchStream implements WatchSink, OpenWatch {
  private readonly parts: WatchStreamParts;
  private readonly output: WatchOutput;
  /** Representation of the next frame. */
  private form: Representation;
  private state: 'waiting' | 'open' | 'ended' = 'waiting';
  /** Events up to this revision were delivered. */
  private progress: Revision = 0;
  private lastBookmarkAt = performance.now();
  private readonly timers: NodeJS.Timeout[] = [];
  /** Set while the buffer exceeds the limit. */
  private overfull: NodeJS.Timeout | undefined = undefined;
  private watch: { close(): void } | undefined = undefined;

  constructor(parts: WatchStreamParts) {
    this.parts = parts;
    this.output = watchOutputOf(parts.context, parts.representation.watchType);
    this.form = parts.representation;
    parts.context.onClose(() => {
      this.stop();
    });
  }

  /** True until the head is written: an error can still be a status code. */
  get isUnanswered(): boolean {
    return this.output.isUnanswered;
  }

  /** Attaches the watch that feeds the stream; it is closed with the stream. */
  attach(watch: { close(): void }): void {
    if (this.state === 'ended') watch.close();
    else this.watch = watch;
  }

  /** Writes the head immediately, so that the client knows that the watch is established before the first event. */
  begin(): void {
    if (this.state !== 'waiting' || this.parts.context.isClosed()) return;
    this.state = 'open';
    this.output.begin();
    const { timeoutMs, limits } = this.parts;
    this.timers.push(setTimeout(this.end.bind(this), timeoutMs));
    const lastBookmarkAt = Math.max(timeoutMs - limits.lastBookmarkMs, timeoutMs / 2);
    if (this.parts.wantsBookmarks) this.timers.push(setTimeout(this.bookmark.bind(this), lastBookmarkAt));
  }

  onItems(items: readonly WatchItem[], areInitial = false): void {
    this.begin();
    if (this.state !== 'open' || items.length === 0) return;
    const { events, eventSizes, initEvents } = this.parts;
    const frames = items.map((item) => this.frame(item));
    for (const frame of frames) eventSizes.observe(frame.length);
    this.write(frames);
    events.add(items.length);
    if (areInitial) initEvents.add(items.length);
    if (!areInitial) this.progress = Math.max(this.progress, items.at(-1)?.event.modRevision ?? 0);
  }

  /** Called often; a bookmark is sent about every minute, and after the initial events. */
  onBookmark(revision: Revision, initialEventsEnd: boolean): void {
    this.begin();
    this.progress = Math.max(this.progress, revision);
    if (initialEventsEnd) this.writeBookmark(revision, true);
    else if (performance.now() - this.lastBookmarkAt >= this.parts.limits.bookmarkMs) this.bookmark();
  }

  /** Clients reconnect only if the stream is closed after an error. */
  onError(error: unknown): void {
    this.begin();
    if (this.state !== 'open') return;
    const { context, representation, logger } = this.parts;
    const status = toStatus(error, context.auditId);
    if (status.code >= 500) logger.warn('a watch failed', { auditId: context.auditId, err: error });
    this.write([representation.error(status)]);
    this.end();
  }

  /** Resolves when the client has read the buffered data; bounded in time. */
  async ready(): Promise<void> {
    if (this.state === 'ended' || !this.output.needsDrain) return;
    const overdue = setTimeout(this.cutOff.bind(this), this.parts.limits.maxWaitMs);
    await this.output.drained();
    clearTimeout(overdue);
  }

  end(): void {
    const wasOpen = this.state === 'open';
    this.stop();
    if (!wasOpen) return;
    this.output.end();
    // Buffered data must not keep a connection open if the client does not read.
    const overdue = setTimeout(() => {
      this.output.destroy();
    }, endGraceMs);
    this.parts.context.onClose(() => {
      clearTimeout(overdue);
    });
  }

  private stop(): void {
    this.state = 'ended';
    for (const timer of this.timers) clearTimeout(timer);
    clearTimeout(this.overfull);
    this.watch?.close();
    this.watch = undefined;
  }

  private bookmark(): void {
    if (!this.parts.wantsBookmarks || this.progress === 0) return;
    this.lastBookmarkAt = performance.now();
    this.writeBookmark(this.progress, false);
  }

  private frame(item: WatchItem): Buffer {
    const { form } = this;
    this.form = form.next ?? form;
    return form.frame(item);
  }

  private writeBookmark(revision: Revision, initialEventsEnd: boolean): void {
    const { form } = this;
    this.form = form.next ?? form;
    this.write([form.bookmark(revision, initialEventsEnd)]);
  }

  private write(frames: readonly Buffer[]): void {
    if (this.state !== 'open') return;
    this.output.write(frames);
    const { burstFactor, burstMs } = this.parts.limits;
    const waiting = this.output.waitingBytes;
    const bound = this.parts.mayWait();
    if (waiting > bound * burstFactor) this.cutOff();
    else if (waiting > bound) this.overfull ??= setTimeout(this.checkOverfull.bind(this), burstMs);
  }

  /** Terminates the watch if the client is still behind after a burst. */
  private checkOverfull(): void {
    this.overfull = undefined;
    if (this.output.waitingBytes > this.parts.mayWait()) this.cutOff();
  }

  /**
   * Closes the connection of a slow client, which would otherwise fill the memory; it resumes from its last event.
   */
  private cutOff(): void {
    if (this.state !== 'open') return;
    this.parts.terminated.add();
    this.stop();
    this.output.destroy();
  }
}
