/**
 * The registry of open watches: counted for metrics, ended when the process stops or their resource is no longer
 * served.
 */
import { eventLoop } from '../../base/event-loop.ts';
import type { ServedResource } from '../../registry/types.ts';
import type { RequestContext } from '../request-context.ts';

export interface WatchLimits {
  /**
   * Maximum bytes buffered for one client if there are few watches: a watch that exceeds it for `burstMs` is
   * terminated.
   */
  readonly maxBufferedBytes: number;
  readonly burstMs: number;
  /** Maximum bytes buffered for all clients: with many watches, the limit of each is its share. */
  readonly totalBufferedBytes: number;
  /** Maximum bytes of the objects whose long frames wait for all clients: beyond, watches that have waited longest are terminated. */
  readonly totalQueuedBytes: number;
  /** Minimum share. */
  readonly minBufferedBytes: number;
  /** A watch that exceeds its share by this factor is terminated at once. */
  readonly burstFactor: number;
  /** Maximum time for a client to read a batch of past events or of the initial state, in milliseconds. */
  readonly maxWaitMs: number;
  /** Timeout of a watch without timeoutSeconds: uniformly distributed, in milliseconds. */
  readonly defaultTimeoutMs: readonly [min: number, max: number];
  /** Interval of bookmarks. */
  readonly bookmarkMs: number;
  /** The last bookmark is sent this long before the timeout. */
  readonly lastBookmarkMs: number;
}

export const defaultWatchLimits: WatchLimits = {
  maxBufferedBytes: 8 * 1024 * 1024,
  totalBufferedBytes: 256 * 1024 * 1024,
  totalQueuedBytes: 256 * 1024 * 1024,
  minBufferedBytes: 128 * 1024,
  burstMs: 2_000,
  burstFactor: 8,
  maxWaitMs: 30_000,
  defaultTimeoutMs: [5 * 60_000, 10 * 60_000],
  bookmarkMs: 60_000,
  lastBookmarkMs: 2_000,
};

/** Why a watch ended. */
export type WatchEnd = 'client' | 'timeout' | 'expired' | 'slow' | 'error' | 'unserved' | 'shutdown';

export interface OpenWatch {
  /** Ends the stream cleanly; the client can resume. */
  end(reason: WatchEnd): void;
}

/** With what follows of it in the same turn, the end of a watch takes 40 µs: a hundred thousand at once took four seconds. */
const endsOfTurn = 64;

interface Opened {
  readonly resource: ServedResource;
  readonly request: RequestContext;
}

export class OpenWatches {
  private readonly open = new Map<OpenWatch, Opened>();
  private closed = false;

  get size(): number {
    return this.open.size;
  }

  /**
   * Maximum bytes buffered for one of the open watches. Without shares, 300 watches that were not read held 750 MB:
   * small frames take several times their length in the queues of a connection.
   */
  share({ maxBufferedBytes, totalBufferedBytes, minBufferedBytes }: WatchLimits): number {
    const share = totalBufferedBytes / Math.max(1, this.open.size);
    return Math.min(maxBufferedBytes, Math.max(minBufferedBytes, share));
  }

  /** Watches added after `close` end at once. */
  enter(watch: OpenWatch, opened: Opened): void {
    if (this.closed) watch.end('shutdown');
    else this.open.set(watch, opened);
  }

  leave(watch: OpenWatch): void {
    this.open.delete(watch);
  }

  /** Ends watches, such as those of resources that are no longer served or that are served differently. */
  endOf(isOver: (resource: ServedResource, request: RequestContext) => boolean): void {
    const over: OpenWatch[] = [];
    for (const [watch, { resource, request }] of this.open) if (isOver(resource, request)) over.push(watch);
    this.endAll(over.values(), 'unserved');
  }

  close(): void {
    this.closed = true;
    this.endAll([...this.open.keys()].values(), 'shutdown');
  }

  /** Some in this turn, and the others in later ones. */
  private endAll(left: Iterator<OpenWatch>, reason: WatchEnd): void {
    for (let ends = 0; ends < endsOfTurn; ends += 1) {
      const next = left.next();
      if (next.done === true) return;
      // Others have ended meanwhile.
      if (this.open.has(next.value)) next.value.end(reason);
    }
    eventLoop().nextTurn(() => {
      this.endAll(left, reason);
    });
  }
}
