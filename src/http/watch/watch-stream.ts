/**
 * The response stream of a watch.
 *
 *   waiting ──begin, or a first event──▶ open ──end, error, too slow──▶ ended
 *      └──────refused (HTTP status)──────────────▶ ended ◀──client gone──┘
 */
import { steadyOf, type Clock, type Timer } from '../../base/clock.ts';
import { FewATurn } from '../../base/few-a-turn.ts';
import type { HistogramSeries, NumberSeries } from '../../observe/metric-series.ts';
import type { Logger } from '../../observe/log.ts';
import type { WatchItem, WatchSink } from '../../registry/types.ts';
import { sizeOf } from '../../storage/size.ts';
import type { Revision } from '../../storage/types.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { RequestContext } from '../request-context.ts';
import { frameOf } from '../representation/frame-of.ts';
import type { MakeElsewhere, Representation } from '../representation/types.ts';
import { toStatus } from '../respond.ts';
import { FrameQueue, largeFrameBytes } from './frame-queue.ts';
import type { OpenWatch, WatchEnd, WatchLimits } from './open-watches.ts';
import { watchOutputOf, type WatchOutput } from './watch-output.ts';

/** A client that takes longer to read a part of the initial state is what the watch waits for. */
const quickReadMs = 50;
/** Time for a client to read buffered data after the end. */
const endGraceMs = 10_000;
const closing = new FewATurn();
/** Bookmarks and ends of watches that began together, each of some 40 µs. */
const due = new FewATurn(64);

export interface WatchStreamParts {
  readonly context: RequestContext;
  readonly representation: Representation;
  /** Makes what takes long of large objects. */
  readonly elsewhere: MakeElsewhere | undefined;
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
  /** Called when a client that asked for the initial events has them. */
  readonly hasInitial?: () => void;
  /** Watches terminated because the client was too slow. */
  readonly terminated: NumberSeries;
  /** Called once for a stream that had begun. */
  readonly ended: (reason: WatchEnd, seconds: number) => void;
  readonly logger: Logger;
}

export class WatchStream implements WatchSink, OpenWatch {
  private readonly parts: WatchStreamParts;
  private readonly output: WatchOutput;
  /** Frames that cannot be written at once; made with the first of them, as most watches never have one. */
  private queue: FrameQueue | undefined = undefined;
  /** Representation of the next frame. */
  private form: Representation;
  private state: 'waiting' | 'open' | 'ended' = 'waiting';
  /** Events up to this revision were delivered. */
  private progress: Revision = 0;
  private readonly clock: Clock;
  /** For what limits a client that does not read. */
  private readonly steady: Clock;
  private lastBookmarkAt: number;
  /** Of the last bookmark, then of the end. */
  private timer: Timer | undefined = undefined;
  /** Set while the buffer exceeds the limit. */
  private overfull: Timer | undefined = undefined;
  private watch: { close(): void } | undefined = undefined;
  private endReason: WatchEnd = 'client';

  constructor(parts: WatchStreamParts) {
    this.parts = parts;
    this.clock = parts.context.phase.clock;
    this.steady = steadyOf(this.clock);
    this.lastBookmarkAt = this.clock.monotonic();
    this.output = watchOutputOf(parts.context, parts.representation.watchType);
    this.form = parts.representation;
    parts.context.onClose(() => {
      this.stop();
      this.queue?.close();
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
    this.tellEnd(this.clock.monotonic());
    const lastBookmarkAt = Math.max(timeoutMs - limits.lastBookmarkMs, timeoutMs / 2);
    if (!this.parts.wantsBookmarks) this.endAfter(timeoutMs);
    else
      this.after(lastBookmarkAt, () => {
        this.endAfter(timeoutMs - lastBookmarkAt);
        this.bookmark();
      });
  }

  private endAfter(ms: number): void {
    this.after(ms, this.end.bind(this, 'timeout'));
  }

  private after(ms: number, work: () => void): void {
    const inItsTurn = (): void => {
      if (this.state === 'open') work();
    };
    this.timer = this.clock.setTimeout(due.add.bind(due, inItsTurn), ms);
  }

  onItems(items: readonly WatchItem[], areInitial = false): void {
    this.begin();
    if (this.state !== 'open' || items.length === 0) return;
    const frames = items.map((item) => this.frame(item));
    if (!this.isQueueing() && mayWriteNow(frames)) this.writeEvents(frames);
    else this.enqueue(frames, items);
    if (areInitial) this.parts.initEvents.add(items.length);
    else this.noteProgress(items.at(-1)?.event.modRevision ?? 0);
  }

  /** Called often; a bookmark is sent about every minute, and after the initial events. */
  onBookmark(revision: Revision, initialEventsEnd: boolean): void {
    this.begin();
    this.noteProgress(revision);
    if (initialEventsEnd) this.endInitial(revision);
    else if (this.clock.monotonic() - this.lastBookmarkAt >= this.parts.limits.bookmarkMs) this.bookmark();
  }

  private endInitial(revision: Revision): void {
    this.parts.hasInitial?.();
    this.writeBookmark(revision, true);
  }

  /** Clients reconnect only if the stream is closed after an error. */
  onError(error: unknown): void {
    this.begin();
    if (this.state !== 'open') return;
    const { context, representation, logger } = this.parts;
    const status = toStatus(error, context.auditId);
    if (status.code >= 500) logger.warn('a watch failed', { auditId: context.auditId, err: error });
    const reason = status.code === 410 ? 'expired' : 'error';
    this.inOrder(representation.error(status), this.end.bind(this, reason));
  }

  /** Resolves when the client has read the buffered data; bounded in time. */
  async ready(): Promise<void> {
    await this.queue?.emptied();
    if (this.state === 'ended' || !this.output.needsDrain) return;
    const { context, limits } = this.parts;
    const overdue = this.steady.setTimeout(this.cutOff.bind(this), limits.maxWaitMs);
    const slow = context.onBegun && this.steady.setTimeout(context.begun.bind(context), quickReadMs);
    await this.output.drained();
    this.steady.clear(overdue);
    this.steady.clear(slow);
  }

  end(reason: WatchEnd): void {
    const wasOpen = this.state === 'open';
    this.stop();
    if (!wasOpen) return;
    this.endReason = reason;
    this.queue?.end();
    if (this.isQueueing()) void this.queue?.emptied().then(() => this.output.end());
    else this.output.end();
    // Buffered data must not keep a connection open if the client does not read.
    const overdue = this.steady.setTimeout(this.close.bind(this), endGraceMs);
    this.parts.context.onClose(() => {
      this.steady.clear(overdue);
    });
  }

  /** The end of the request is that of the watch, whoever caused it. */
  private tellEnd(begunAt: number): void {
    this.parts.context.onClose(() => {
      this.parts.ended(this.endReason, (this.clock.monotonic() - begunAt) / 1000);
    });
  }

  private stop(): void {
    this.state = 'ended';
    this.clock.clear(this.timer);
    this.steady.clear(this.overfull);
    this.watch?.close();
    this.watch = undefined;
  }

  /** The initial state is complete, and everything up to this version. */
  private noteProgress(revision: Revision): void {
    this.progress = Math.max(this.progress, revision);
    this.parts.context.begun();
  }

  private bookmark(): void {
    if (!this.parts.wantsBookmarks || this.progress === 0) return;
    this.lastBookmarkAt = this.clock.monotonic();
    this.writeBookmark(this.progress, false);
  }

  private frame(item: WatchItem): MaybePromise<Buffer> {
    const { form } = this;
    const { elsewhere, representation } = this.parts;
    this.form = form.next ?? form;
    return frameOf(form, item, { elsewhere, isFirst: form === representation });
  }

  private isQueueing(): boolean {
    return this.queue !== undefined && this.queue.length > 0;
  }

  private queueOf(): FrameQueue {
    return (this.queue ??= new FrameQueue({
      clock: this.steady,
      sent: (frame) => this.output.sent(frame),
      write: (bytes) => {
        this.output.writeBytes(bytes);
      },
      drained: () => this.output.drained(),
      maxWaitMs: this.parts.limits.maxWaitMs,
      mostBytes: this.parts.limits.totalQueuedBytes,
      onFailed: this.cutOff.bind(this),
    }));
  }

  private enqueue(frames: readonly MaybePromise<Buffer>[], items: readonly WatchItem[]): void {
    const queue = this.queueOf();
    items.forEach(({ event }, i) => {
      const making = frames[i];
      if (making)
        queue.add({ making, object: event, bytes: sizeOf(event), onWritten: this.count.bind(this) });
    });
    // Not a share: watches of the same objects keep the same ones in memory.
    if (queue.length > items.length && queue.bytes > this.parts.limits.maxBufferedBytes) this.cutOff();
  }

  /** Writes a frame that is made behind those that wait. */
  private inOrder(making: Buffer, onWritten: () => void): void {
    if (this.isQueueing()) this.queueOf().add({ making, object: making, bytes: making.length, onWritten });
    else {
      this.write([making]);
      onWritten();
    }
  }

  private writeEvents(frames: readonly Buffer[]): void {
    for (const frame of frames) this.count(frame);
    this.write(frames);
  }

  private count(frame: Buffer): void {
    this.parts.eventSizes.observe(frame.length);
    this.parts.events.add();
  }

  private writeBookmark(revision: Revision, initialEventsEnd: boolean): void {
    const { form } = this;
    this.form = form.next ?? form;
    this.inOrder(form.bookmark(revision, initialEventsEnd), () => undefined);
  }

  private write(frames: readonly Buffer[]): void {
    if (this.state !== 'open') return;
    this.output.write(frames);
    const { burstFactor, burstMs } = this.parts.limits;
    const waiting = this.output.waitingBytes;
    const bound = this.parts.mayWait();
    if (waiting > bound * burstFactor) this.cutOff();
    else if (waiting > bound)
      this.overfull ??= this.steady.setTimeout(this.checkOverfull.bind(this), burstMs);
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
    this.endReason = 'slow';
    this.stop();
    this.queue?.close();
    this.close();
  }

  /** In one of the next turns: an event may be too much for thousands of clients at once. */
  private close(): void {
    closing.add(() => {
      this.output.destroy();
    });
  }
}

/** Whether all are made, and none is so long that it goes out in pieces. */
function mayWriteNow(frames: readonly MaybePromise<Buffer>[]): frames is readonly Buffer[] {
  return frames.every((frame) => !(frame instanceof Promise) && frame.length <= largeFrameBytes);
}
