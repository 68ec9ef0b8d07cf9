/** Waits for a state of an object, by watch. */
import { messageOf } from '../base/errors.ts';
import { unlessAborted } from '../base/pause.ts';
import { aFunction, judge, judgeOptions, milliseconds, that } from './judge.ts';
import type { ApiClient, WatchOptions } from './api-client.ts';
import { ApiError } from './api-error.ts';
import type { ApiObject, KindReference, ObjectLike, ObjectReference } from './objects.ts';
import { clearRealTimeout, setRealTimeout } from './real-timers.ts';
import { referenceOf } from './references.ts';

export interface UntilOptions {
  /** Default 10 seconds. */
  readonly timeoutMs?: number;
  /** What else is said when the time is over; '' for nothing. */
  readonly notes?: () => Promise<string>;
}

const defaultTimeoutMs = 10_000;
const mostEvents = 20;
/** How long is waited for the events of an object that did not come to its state in time. */
const eventsMs = 2_000;

/** Told when the time is over: the last state, and the events of the object. */
export class UntilTimeout extends Error {
  /** undefined if the object did not exist. */
  readonly last: unknown;

  constructor(message: string, last: unknown) {
    super(message);
    this.name = 'UntilTimeout';
    this.last = last;
  }
}

/**
 * Resolves with the first state for which the predicate is true; undefined stands for an object that does not exist.
 * What the predicate throws ends the wait.
 * @throws UntilTimeout; TypeError for what names no object
 */
export async function until<T = ApiObject>(
  client: ApiClient,
  object: ObjectLike,
  predicate: (object: T | undefined) => boolean,
  options: UntilOptions = {},
): Promise<T | undefined> {
  judge(
    'until',
    predicate,
    that('a predicate: a function', (value) => typeof value === 'function'),
  );
  judgeOptions('until', options, { timeoutMs: milliseconds, notes: aFunction });
  const { timeoutMs = defaultTimeoutMs, notes } = options;
  const about = referenceOf(object);
  const stopping = new AbortController();
  const states = new States<T>(client, about, stopping.signal);
  const timer = setRealTimeout(() => {
    stopping.abort();
  }, timeoutMs);
  try {
    for await (const state of states.all()) if (isTrue(predicate(state))) return state;
  } catch (error) {
    // A request that the end of the time has ended is none that failed.
    if (!stopping.signal.aborted) throw error;
  } finally {
    clearRealTimeout(timer);
    stopping.abort();
  }
  const explained = await explain(client, about, { timeoutMs, states });
  throw new UntilTimeout([explained, await notes?.()].filter(Boolean).join('\n'), states.last);
}

/** A promise would be true whatever it resolves with. @throws TypeError */
function isTrue(answer: unknown): boolean {
  if (answer instanceof Promise) {
    void answer.catch(() => undefined);
    throw new TypeError('the predicate gave a promise: it has to answer at once, from the object alone');
  }
  return Boolean(answer);
}

/** The states of one object from now on. */
class States<T> {
  last: T | undefined;
  /** Whether the service has said anything of it. */
  isKnown = false;
  readonly #client: ApiClient;
  readonly #about: ObjectReference;
  readonly #signal: AbortSignal;

  constructor(client: ApiClient, about: ObjectReference, signal: AbortSignal) {
    this.#client = client;
    this.#about = about;
    this.#signal = signal;
  }

  async *all(): AsyncGenerator<T | undefined, void> {
    const { apiVersion, kind, metadata } = this.#about;
    const { name, namespace = 'default' } = metadata;
    const kindOfIt = { apiVersion, kind };
    const selected = { namespace, fieldSelector: `metadata.name=${name}` };
    while (!this.#signal.aborted) {
      const list = await unlessAborted(this.#client.list<T>(kindOfIt, selected), this.#signal);
      this.last = list.items[0];
      this.isKnown = true;
      yield this.last;
      const from = { ...selected, resourceVersion: list.metadata.resourceVersion, signal: this.#signal };
      yield* this.#watched(kindOfIt, from);
    }
  }

  /** Until the watch ends, or its version is too old. */
  async *#watched(about: KindReference, from: WatchOptions): AsyncGenerator<T | undefined, void> {
    try {
      for await (const { type, object } of this.#client.watch<T>(about, from)) {
        if (type === 'BOOKMARK') continue;
        this.last = type === 'DELETED' ? undefined : object;
        yield this.last;
      }
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 410)) throw error;
    }
  }
}

async function explain(
  client: ApiClient,
  about: ObjectReference,
  { timeoutMs, states }: { readonly timeoutMs: number; readonly states: States<unknown> },
): Promise<string> {
  const { kind, metadata } = about;
  const { name, namespace = 'default' } = metadata;
  const { last, isKnown } = states;
  const absent = isKnown ? 'It does not exist.' : 'The control plane did not say whether it exists.';
  const state = last === undefined ? absent : `Its last state:\n${JSON.stringify(last, undefined, 2)}`;
  return [
    `${kind} ${name} did not become what was waited for within ${String(timeoutMs)} ms.`,
    state,
    await eventsOf(client, { kind, name, namespace }),
  ].join('\n');
}

interface EventObject extends ApiObject {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
}

async function eventsOf(
  client: ApiClient,
  { kind, name, namespace }: { readonly kind: string; readonly name: string; readonly namespace: string },
): Promise<string> {
  const fieldSelector = `involvedObject.kind=${kind},involvedObject.name=${name}`;
  const asked = client.list<EventObject>({ apiVersion: 'v1', kind: 'Event' }, { namespace, fieldSelector });
  const stopping = new AbortController();
  const timer = setRealTimeout(() => {
    stopping.abort(new Error('the control plane does not answer'));
  }, eventsMs);
  try {
    return textOf((await unlessAborted(asked, stopping.signal)).items);
  } catch (error) {
    return `Its events cannot be read: ${messageOf(error)}.`;
  } finally {
    clearRealTimeout(timer);
  }
}

function textOf(events: readonly EventObject[]): string {
  if (events.length === 0) return 'It has no events.';
  const lines = events
    .slice(-mostEvents)
    .map(({ type, reason, message }) => [type, reason, message].map((part) => part ?? '').join(' '));
  return ['Its events:', ...lines].join('\n');
}
