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
import { asApiObject, type ApiObject } from '../meta/object.ts';
import { StatusError } from '../meta/status.ts';
import type { ApiClient, ControllerLog, MetadataEvent, ResourceRef } from './types.ts';
import { hasStopped } from './work-queue.ts';

export interface ReflectorOptions {
  readonly clock: Clock;
  readonly client: ApiClient;
  readonly resource: ResourceRef;
  /** Absent: objects whatever their fields. */
  readonly fieldSelector?: string;
  readonly onEvent: (event: MetadataEvent) => void;
  /** Whether events make a difference now; absent: always. Where they make none, what a list changes is not told. */
  readonly isOfUse?: () => boolean;
  /**
   * Asked where a list lacks most of what was known, with the UIDs that it has: true if what is gone has been taken note of,
   * false or absent if each is to be told.
   */
  readonly onMostGone?: (listed: ReadonlySet<string>) => boolean;
  /** Annotations that events of objects still have which a new list lacks; absent: none. Of what else they had, names and UID are kept. */
  readonly keptAnnotations?: readonly string[];
  /** The first list is complete. */
  readonly onSynced: () => void;
  readonly log: ControllerLog;
}

/** Reflectors that take in lists at once, as dozens do when a replica starts, together have one slice of a turn. */
const listed = new SharedSlice();

/** So many more are known than listed that it is worth while to take note of them together. */
const manyGone = 1_000;

/** About what an owner reference has. */
const bytesOfOwner = 100;

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
  /** By UID. Only what is told of those that are gone: metadata may have tens of thousands of labels, which take a multiple of their text. */
  private known = new Map<string, ApiObject>();
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

  /** One list where needed, then one watch to its end. @returns false when the watch ended at once and gave nothing */
  async round(signal: AbortSignal): Promise<boolean> {
    this.receivedBefore = this.receivedCount;
    if (this.version === '') await this.list(signal);
    const started = this.options.clock.monotonic();
    const { client, resource, fieldSelector = '' } = this.options;
    await client.watchMetadata(
      resource,
      {
        resourceVersion: this.version,
        fieldSelector,
        informer: this,
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
    const { client, resource, fieldSelector = '' } = this.options;
    const list = await client.listMetadata(resource, '', signal, { fieldSelector, informer: this });
    await this.replace(list.items, signal);
    this.version = list.resourceVersion;
    if (!this.synced) this.options.onSynced();
    this.synced = true;
  }

  /**
   * Takes in a list, in slices. After an end in between, the next list is compared with what was known before, so that what is
   * gone may be told again.
   */
  private async replace(items: readonly ApiObject[], signal: AbortSignal): Promise<void> {
    const { onEvent, isOfUse, onMostGone } = this.options;
    const turns = { slice: listed, signal };
    if (isOfUse?.() === false) {
      this.known = new Map(items.map((object) => [object.metadata.uid ?? '', this.remembered(object)]));
      return;
    }
    const uids = new Set<string>();
    await eachInTurn(items, ({ metadata }) => uids.add(metadata.uid ?? ''), turns);
    const before = this.known;
    const known = new Map<string, ApiObject>();
    const noteUnlisted = (object: ApiObject): void => {
      if (!uids.has(object.metadata.uid ?? '')) onEvent({ type: 'DELETED', object });
    };
    const add = (object: ApiObject): void => {
      const uid = object.metadata.uid ?? '';
      known.set(uid, this.remembered(object));
      onEvent({ type: before.has(uid) ? 'MODIFIED' : 'ADDED', object });
    };
    // First what is gone: another object may have its name by now.
    const areMostGone = before.size >= 2 * uids.size + manyGone;
    if (!areMostGone || onMostGone?.(uids) !== true) await eachInTurn(before.values(), noteUnlisted, turns);
    // Each owner is looked for in the ownership graph.
    const bytesOf = ({ metadata }: ApiObject): number =>
      (metadata.ownerReferences?.length ?? 0) * bytesOfOwner;
    await eachInTurn(items, add, { ...turns, bytesOf });
    this.known = known;
  }

  private remembered({ apiVersion, kind, metadata }: ApiObject): ApiObject {
    const { name, namespace, uid, resourceVersion, annotations } = metadata;
    const { keptAnnotations = [] } = this.options;
    const kept = keptAnnotations.filter((key) => annotations?.[key] !== undefined);
    return asApiObject({
      ...{ apiVersion, kind },
      metadata: {
        ...(name !== undefined && { name }),
        ...(namespace !== undefined && { namespace }),
        ...(uid !== undefined && { uid }),
        ...(resourceVersion !== undefined && { resourceVersion }),
        ...(kept.length > 0 && {
          annotations: Object.fromEntries(kept.map((key) => [key, annotations?.[key] ?? ''])),
        }),
      },
    });
  }

  private apply(event: MetadataEvent): void {
    const uid = event.object.metadata.uid ?? '';
    if (event.type === 'DELETED') this.known.delete(uid);
    else this.known.set(uid, this.remembered(event.object));
    this.receivedCount += 1;
    this.version = event.object.metadata.resourceVersion ?? this.version;
    this.options.onEvent(event);
  }
}
