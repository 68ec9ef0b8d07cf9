/** All watches that are open now: counted for the metrics, ended together when the process stops or their resource goes. */
import type { ServedResource } from '../../registry/types.ts';

export interface WatchLimits {
  /** Bytes that may wait for one client where watches are few: whoever has more waiting for `burstMs` loses its watch. */
  readonly maxBufferedBytes: number;
  readonly burstMs: number;
  /** Bytes that may wait for all clients together: where watches are many, each one's bound is its share of it. */
  readonly totalBufferedBytes: number;
  /** No share is smaller. */
  readonly minBufferedBytes: number;
  /** So many times as much may never wait. */
  readonly burstFactor: number;
  /** How long a client may take for a portion of older events or of the initial state, in milliseconds. */
  readonly maxWaitMs: number;
  /** How long a watch lasts when the client does not say: evenly spread between the two, in milliseconds. */
  readonly defaultTimeoutMs: readonly [min: number, max: number];
  /** Time between bookmarks. */
  readonly bookmarkMs: number;
  /** A last bookmark comes this long before the end. */
  readonly lastBookmarkMs: number;
}

export const defaultWatchLimits: WatchLimits = {
  maxBufferedBytes: 8 * 1024 * 1024,
  totalBufferedBytes: 256 * 1024 * 1024,
  minBufferedBytes: 128 * 1024,
  burstMs: 2_000,
  burstFactor: 8,
  maxWaitMs: 30_000,
  defaultTimeoutMs: [5 * 60_000, 10 * 60_000],
  bookmarkMs: 60_000,
  lastBookmarkMs: 2_000,
};

export interface OpenWatch {
  /** Ends the stream cleanly; the client resumes where it likes. */
  end(): void;
}

export class WatchRoom {
  private readonly open = new Map<OpenWatch, ServedResource>();
  private closed = false;

  get size(): number {
    return this.open.size;
  }

  /**
   * Bytes that may wait for one of the watches that are open now. 300 that nobody read held 750 MB when each had its
   * whole bound: small frames take several times their length in the queues of a connection.
   */
  share({ maxBufferedBytes, totalBufferedBytes, minBufferedBytes }: WatchLimits): number {
    const share = totalBufferedBytes / Math.max(1, this.open.size);
    return Math.min(maxBufferedBytes, Math.max(minBufferedBytes, share));
  }

  /** Watches that enter after `close` are ended at once. */
  enter(watch: OpenWatch, resource: ServedResource): void {
    if (this.closed) watch.end();
    else this.open.set(watch, resource);
  }

  leave(watch: OpenWatch): void {
    this.open.delete(watch);
  }

  /** Ends the watches of resources that are served no more, or otherwise than before. */
  endOf(isGone: (resource: ServedResource) => boolean): void {
    for (const [watch, resource] of [...this.open]) if (isGone(resource)) watch.end();
  }

  close(): void {
    this.closed = true;
    for (const watch of [...this.open.keys()]) watch.end();
  }
}
