/**
 * A client that follows a collection, or a part of it, for good: it begins with a state, watches for a few seconds at a
 * time so that there are bookmarks and resumptions, and goes on after the last version that it was told. All is recorded.
 */
import { setTimeout as delay } from 'node:timers/promises';

import { WatchRefused, type ApiClient, type EventStream, type WatchEvent } from '../../support/client.ts';
import { labelsOf, type HistoryRecorder } from './history-recorder.ts';
import type { State, WatchedEvent, WatchEnding, WatchRecord } from '../../support/histories/types.ts';

export interface WatcherOptions {
  readonly name: string;
  readonly recorder: HistoryRecorder;
  /** Where to watch now; asked before every start. */
  readonly target: () => { readonly api: ApiClient; readonly replica: string };
  /** `a=b`; '' for all. */
  readonly selector: string;
  /** Of each watch, before it ends and is resumed. */
  readonly seconds: number;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Open = Mutable<Omit<WatchRecord, 'events' | 'ending'>> & { events: WatchedEvent[] };

export class RecordingWatcher {
  /** Refusals and errors other than "later". */
  readonly errors: string[] = [];
  /** How often a watch was established. */
  starts = 0;
  readonly #options: WatcherOptions;
  #last: number | undefined;
  #before: string | undefined;
  #stream: EventStream | undefined;
  #isStopped = false;

  constructor(options: WatcherOptions) {
    this.#options = options;
  }

  /** The version up to which it knows all. */
  get last(): number {
    return this.#last ?? 0;
  }

  async run(): Promise<void> {
    while (!this.#isStopped) {
      await this.#watchOnce();
      await delay(20);
    }
  }

  stop(): void {
    this.#isStopped = true;
    this.#stream?.close();
  }

  async #watchOnce(): Promise<void> {
    const { recorder } = this.#options;
    const { api, replica } = this.#options.target();
    const record = this.#newRecord(replica);
    let reason: WatchEnding = 'ended';
    try {
      this.#stream = await api.watch(recorder.collection.path + this.#query());
      this.starts += 1;
      if (this.#isStopped) this.#stream.close();
      reason = await this.#read(this.#stream, record);
    } catch (error) {
      reason = this.#refused(error);
    }
    recorder.addWatch({ ...record, ending: { at: recorder.now(), reason } });
    // What ended before its state was complete is begun anew.
    if (this.#last !== undefined && record.events.length + (record.initial ? 1 : 0) > 0)
      this.#before = record.id;
  }

  #newRecord(replica: string): Open {
    const { recorder, name, selector } = this.#options;
    const { id: collection, prefix } = recorder.collection;
    return {
      ...{ id: recorder.newId(), client: name, replica, collection, call: recorder.now() },
      filter: { prefix, ...labelsOf(selector) },
      start:
        this.#last === undefined
          ? { kind: 'state', freshness: { kind: 'mostRecent' } }
          : { kind: 'after', version: this.#last },
      bookmarks: true,
      events: [],
      ...(this.#before !== undefined && { continues: this.#before }),
    };
  }

  #query(): string {
    const { selector, seconds } = this.#options;
    const query = new URLSearchParams({ allowWatchBookmarks: 'true', timeoutSeconds: String(seconds) });
    if (selector !== '') query.set('labelSelector', selector);
    if (this.#last === undefined) {
      query.set('sendInitialEvents', 'true');
      query.set('resourceVersionMatch', 'NotOlderThan');
    } else query.set('resourceVersion', String(this.#last));
    return `?${query.toString()}`;
  }

  async #read(stream: EventStream, record: Open): Promise<WatchEnding> {
    const initial: State[] = [];
    const { recorder } = this.#options;
    for await (const event of stream) {
      if (event.type === 'ERROR') return this.#failed(event);
      const at = recorder.now();
      const version = Number(event.object.metadata.resourceVersion);
      if (this.#last === undefined) {
        if (event.type !== 'BOOKMARK') initial.push(recorder.stateOf(event.object));
        else {
          record.initial = { at, version, items: initial };
          this.#last = version;
        }
        continue;
      }
      this.#last = version;
      if (event.type === 'BOOKMARK') record.events.push({ at, type: 'BOOKMARK', version });
      else record.events.push({ at, type: event.type as 'ADDED', ...recorder.stateOf(event.object) });
    }
    if (this.#isStopped) return 'closed';
    return stream.broken === undefined ? 'ended' : 'broken';
  }

  #failed({ object }: WatchEvent): WatchEnding {
    if (object['code'] === 410) this.#forget();
    this.errors.push(`${this.#options.name}: ${JSON.stringify(object)}`);
    return object['code'] === 410 ? 'expired' : 'failed';
  }

  #refused(error: unknown): WatchEnding {
    if (!(error instanceof WatchRefused)) return 'broken';
    if (error.status === 410) this.#forget();
    if (error.status < 500 && error.status !== 429)
      this.errors.push(`${this.#options.name}: ${String(error)}`);
    return error.status === 410 ? 'expired' : 'failed';
  }

  /** After 410 a client begins anew. */
  #forget(): void {
    this.#last = undefined;
    this.#before = undefined;
  }
}
