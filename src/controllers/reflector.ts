/**
 * Reflector: keeps a handler informed of one resource, metadata only. It lists, then watches from the list's version,
 * and lists again when history is lost; the handler gets DELETED events for objects that the new list lacks.
 *
 * listing ──▶ watching ──stream ends──▶ watching (same version on)
 * ▲            │ 410
 * └────────────┘
 */
import type { Clock } from '../base/clock.ts';
import { SharedSlice } from '../base/cooperate.ts';
import { messageOf } from '../base/errors.ts';
import { eachInTurn } from '../base/each-in-turn.ts';
import { pauseAwake } from '../base/pause.ts';
import { WideMap } from '../base/wide-map.ts';
import type { ApiObject } from '../meta/object.ts';
import { StatusError } from '../meta/status.ts';
import { metadataList } from './metadata-list.ts';
import { bytesOfOwners } from './owner-bytes.ts';
import { Remembered } from './remembered.ts';
import type { ApiClient, ControllerLog, MetadataEvent, MetadataReading, ResourceRef } from './types.ts';
import { hasStopped } from './work-queue.ts';

export interface ReflectorOptions {
  readonly clock: Clock;
  readonly client: ApiClient;
  readonly resource: ResourceRef;
  /** Absent: objects whatever their fields. */
  readonly fieldSelector?: string;
  readonly onEvent: (event: MetadataEvent) => void;
  /**
   * Called for each list in place of events of its objects: for a handler that only has to know that anything may have
   * changed. Nothing is read then, and nothing remembered.
   */
  readonly onListed?: () => void;
  /**
   * For a handler that keeps every object itself, by UID: it finds out what a later list lacks. Each listed object is reported as
   * ADDED before; the informer remembers none.
   */
  readonly onUnlisted?: (listed: Uids) => Promise<void>;
  /** Annotations that events of objects still have which a new list lacks; absent: none. Of what else they had, names and UID are kept. */
  readonly keptAnnotations?: readonly string[];
  /** The first list is complete. */
  readonly onSynced: () => void;
  readonly log: ControllerLog;
}

/** Reflectors that take in lists at once, as dozens do when a replica starts, together have one slice of a turn. */
const listed = new SharedSlice();

/** UIDs of a list. */
export type Uids = Pick<ReadonlySet<string>, 'has' | 'size'> & { keys(): Iterable<string> };

const shortPauseMs = 100;
const longestPauseMs = 10_000;
/** A watch that ends sooner without a word is not opened again at once (client-go: "very short watch"). */
const shortWatchMs = 1_000;

/** Runs until the signal is aborted. */
export async function reflect(options: ReflectorOptions, signal: AbortSignal): Promise<void> {
  const reflector = new Reflector(options);
  let pauseMs = shortPauseMs;
  while (!signal.aborted) {
    const isUseful = await reflector
      .round(signal)
      .catch((error: unknown) => !hasStopped(signal) && reflector.noteFailure(error));
    if (isUseful) pauseMs = shortPauseMs;
    else {
      await pauseAwake(options.clock, pauseMs, signal);
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    }
  }
}

class Reflector {
  private readonly options: ReflectorOptions;
  /** By UID. */
  private readonly known = new WideMap<Remembered>();
  private hasListed = false;
  /** '' before the first list and after history was lost. */
  private version = '';
  private synced = false;
  /** Received events and progress notifications. */
  private receivedCount = 0;
  /** How many when the watch was opened. */
  private receivedBefore = 0;

  constructor(options: ReflectorOptions) {
    this.options = options;
  }

  private get reading(): MetadataReading {
    return { fieldSelector: this.options.fieldSelector ?? '', informer: this };
  }

  /** One list where needed, then one watch to its end. @returns false when the watch ended at once and gave nothing */
  async round(signal: AbortSignal): Promise<boolean> {
    this.receivedBefore = this.receivedCount;
    if (this.version === '') await this.list(signal);
    const started = this.options.clock.monotonic();
    const { client, resource } = this.options;
    await client.watchMetadata(
      resource,
      {
        ...this.reading,
        resourceVersion: this.version,
        onEvent: (event) => this.apply(event),
        onProgress: (version) => {
          this.receivedCount += 1;
          this.version = version;
        },
      },
      signal,
    );
    return (
      this.receivedCount > this.receivedBefore || this.options.clock.monotonic() - started >= shortWatchMs
    );
  }

  /** @returns whether history was lost to a watch that was of use: then the list is due at once */
  noteFailure(error: unknown): boolean {
    const isGone = error instanceof StatusError && (error.code === 410 || error.code === 404);
    const wasUseful = this.receivedCount > this.receivedBefore;
    if (isGone) this.version = '';
    const { resource, log } = this.options;
    if (!isGone)
      log.warn(
        { resource: resource.resource, group: resource.group, problem: messageOf(error) },
        'watch broke, going on',
      );
    return isGone && wasUseful;
  }

  private async list(signal: AbortSignal): Promise<void> {
    const { onListed, onUnlisted } = this.options;
    if (onListed) await this.listVersion(onListed, signal);
    else if (onUnlisted) await this.listForKeeper(onUnlisted, signal);
    else await this.listAll(signal);
    if (!this.synced) this.options.onSynced();
    this.synced = true;
  }

  private async listVersion(onListed: () => void, signal: AbortSignal): Promise<void> {
    const { client, resource } = this.options;
    this.version = await client.newestVersion(resource, this.reading, signal);
    onListed();
  }

  private async listForKeeper(
    onUnlisted: (listed: Uids) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const uids = this.hasListed ? new WideMap<true>() : undefined;
    const version = await this.each((object) => {
      uids?.set(object.metadata.uid ?? '', true);
      this.options.onEvent({ type: 'ADDED', object });
    }, signal);
    if (uids) await onUnlisted(uids);
    this.version = version;
  }

  private async listAll(signal: AbortSignal): Promise<void> {
    if (!this.hasListed) {
      this.version = await this.each((object) => this.add(object), signal);
      return;
    }
    const { items, resourceVersion } = await metadataList((onItem) => this.each(onItem, signal));
    await this.replace(items, signal);
    this.version = resourceVersion;
  }

  /** A first list that fails midway counts, too: the handler has seen part of it. */
  private each(onItem: (object: ApiObject) => void, signal: AbortSignal): Promise<string> {
    const { client, resource } = this.options;
    this.hasListed = true;
    return client.eachMetadata(resource, { ...this.reading, onItem }, signal);
  }

  /**
   * Takes in a list, in slices. After a failure midway the next list is compared with what is known by then, so that each
   * deletion is reported once.
   */
  private async replace(items: readonly ApiObject[], signal: AbortSignal): Promise<void> {
    const turns = { slice: listed, signal };
    const uids = new WideMap<true>();
    await eachInTurn(items, ({ metadata }) => uids.set(metadata.uid ?? '', true), turns);
    const noteUnlisted = ([uid, before]: [string, Remembered]): void => {
      if (uids.has(uid)) return;
      this.known.delete(uid);
      this.options.onEvent({ type: 'DELETED', object: before.object(this.options.resource) });
    };
    // First what is gone: another object may have its name by now.
    await eachInTurn(this.known.entries(), noteUnlisted, turns);
    const bytesOf = ({ metadata }: ApiObject): number => bytesOfOwners(metadata.ownerReferences);
    await eachInTurn(items, (object) => this.add(object), { ...turns, bytesOf });
  }

  private add(object: ApiObject): void {
    const { uid = '' } = object.metadata;
    const type = this.known.has(uid) ? 'MODIFIED' : 'ADDED';
    this.remember(object);
    this.options.onEvent({ type, object });
  }

  private remember({ metadata }: ApiObject): void {
    const { onListed, onUnlisted, keptAnnotations = [] } = this.options;
    if (onListed || onUnlisted) return;
    this.known.set(metadata.uid ?? '', new Remembered(metadata, keptAnnotations));
  }

  private apply(event: MetadataEvent): void {
    if (event.type === 'DELETED') this.known.delete(event.object.metadata.uid ?? '');
    else this.remember(event.object);
    this.receivedCount += 1;
    this.version = event.object.metadata.resourceVersion ?? this.version;
    this.options.onEvent(event);
  }
}
