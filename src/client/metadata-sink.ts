/** A watch of a controller: it is told the metadata of what changes, in order. */
import { InOrder } from '../base/in-order.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { JsonObject } from '../base/json.ts';
import type { MetadataWatch } from '../controllers/types.ts';
import { apiVersionOf } from '../meta/gvk.ts';
import { asApiObject, type ApiObject } from '../meta/object.ts';
import { expired } from '../meta/status.ts';
import type { ServedResource, WatchItem, WatchSink } from '../registry/types.ts';
import { sizeOf } from '../storage/size.ts';
import type { EventMetadata } from './event-metadata.ts';

/** Text of the objects whose events wait at most; and what an event takes beside it. */
const mostWaitingBytes = 64 * 1024 * 1024;
const itemBytes = 256;

export function metadataObject({ gvk }: ServedResource, metadata: JsonObject): ApiObject {
  return asApiObject({ apiVersion: apiVersionOf(gvk), kind: gvk.kind, metadata });
}

export class MetadataSink implements WatchSink {
  readonly relists = true;
  /** Rejects with what the watch failed for. */
  readonly ended: Promise<undefined>;
  private readonly resource: ServedResource;
  private readonly events: EventMetadata;
  private readonly watch: MetadataWatch;
  private readonly outcome = Promise.withResolvers<undefined>();
  private isOver = false;
  /** What is received while long metadata are parsed is told behind them. */
  private readonly work = new InOrder();
  /** Bytes of what waits behind them. */
  private waiting = 0;

  constructor(resource: ServedResource, events: EventMetadata, watch: MetadataWatch) {
    this.resource = resource;
    this.events = events;
    this.watch = watch;
    this.ended = this.outcome.promise;
    // The promise may reject before it is awaited.
    this.ended.catch(() => undefined);
  }

  onItems(items: readonly WatchItem[]): void {
    if (this.isOver) return;
    if (this.work.underWay) this.tellLater(items);
    else this.inOrder(() => this.tellAll(items));
  }

  onBookmark(revision: number): void {
    this.inOrder(() => {
      if (!this.isOver) this.watch.onProgress(String(revision));
    });
  }

  onError(status: unknown): void {
    this.inOrder(() => {
      this.fail(status);
    });
  }

  /** Resolves once all that was received is told. */
  ready(): Promise<void> {
    return this.work.underWay ?? Promise.resolve();
  }

  end(): void {
    this.isOver = true;
    this.outcome.resolve(undefined);
  }

  /** A watch with too much that waits fails: a new list takes no more than the objects that there are. */
  private tellLater(items: readonly WatchItem[]): void {
    const bytes = items.reduce((sum, { event }) => sum + sizeOf(event) + itemBytes, 0);
    this.waiting += bytes;
    if (this.waiting > mostWaitingBytes) this.fail(expired('too many changes wait behind long metadata'));
    else
      this.inOrder(() => {
        this.waiting -= bytes;
        return this.tellAll(items);
      });
  }

  private inOrder(step: () => MaybePromise<void>): void {
    this.work.run(step)?.catch((error: unknown) => {
      this.fail(error);
    });
  }

  private tellAll(items: readonly WatchItem[]): MaybePromise<void> {
    for (const [i, item] of items.entries()) {
      if (this.isOver) return;
      const metadata = this.events.of(item.event);
      if (metadata instanceof Promise) return this.tellInTurn(items.slice(i));
      this.tell(item, metadata);
    }
  }

  private async tellInTurn(items: readonly WatchItem[]): Promise<void> {
    for (const item of items) {
      const metadata = await this.events.of(item.event);
      if (this.isOver) return;
      this.tell(item, metadata);
    }
  }

  private tell({ type }: WatchItem, metadata: JsonObject): void {
    this.watch.onEvent({ type, object: metadataObject(this.resource, metadata) });
  }

  private fail(status: unknown): void {
    this.isOver = true;
    this.outcome.reject(status instanceof Error ? status : new Error('the watch failed', { cause: status }));
  }
}
