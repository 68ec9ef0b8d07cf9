/**
 * Follows a collection: a watch that is restarted with the current state whenever it ends.
 *
 *   state ──▶ events ──history lost, view rebuilt, listener threw──▶ pause ──▶ state …
 */
import { Backoff } from '../base/backoff.ts';
import type { Environment } from '../base/environment.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { pause } from '../base/pause.ts';
import {
  StorageError,
  type CollectionId,
  type CollectionSnapshot,
  type Storage,
  type StoredEvent,
} from './types.ts';

export interface FollowDependencies extends Environment {
  readonly storage: Pick<Storage, 'watch'>;
}

export interface CollectionListener {
  /** The current state; events, and the next state, are delivered after it resolves. */
  onState(snapshot: CollectionSnapshot): void | Promise<void>;
  /** If what it returns rejects, the watch is restarted, as if it had thrown. Events that follow do not wait for it. */
  onEvents(events: readonly StoredEvent[]): MaybePromise<void>;
  /** The watch ended and is restarted. */
  onBreak?(reason: StorageError): void;
}

const betweenWatches = { firstMs: 20, maxMs: 5_000 };

/** Runs until the signal is aborted or the storage stops. */
export function followCollection(
  { storage, clock, random }: FollowDependencies,
  collection: CollectionId,
  listener: CollectionListener,
  signal: AbortSignal,
): void {
  const backoff = new Backoff(betweenWatches, random);
  const begin = (): void => {
    if (signal.aborted) return;
    let state = Promise.resolve();
    const watching = new AbortController();
    const end = (reason: StorageError): void => {
      if (signal.aborted || watching.signal.aborted) return;
      watching.abort();
      listener.onBreak?.(reason);
      // One that is still taking the state would put what is gone back into the next one.
      const taken = state.catch(() => undefined);
      void taken.then(() => pause(clock, backoff.nextMs(), signal)).then(begin);
    };
    storage.watch(
      {
        ...{ collection, prefix: '', start: { kind: 'stateThenChanges', freshness: { kind: 'any' } } },
        signal: AbortSignal.any([signal, watching.signal]),
      },
      {
        onEstablished: () => undefined,
        onInitial: (snapshot) => {
          state = Promise.resolve(listener.onState(snapshot)).then(() => {
            backoff.reset();
          });
        },
        onEvents: (events) => {
          const taking = listener.onEvents(events);
          if (taking instanceof Promise)
            taking.catch((error: unknown) => {
              end(new StorageError('watcherFailed', 'the watcher failed', { cause: error }));
            });
        },
        onProgress: () => undefined,
        onEnd: (reason) => {
          if (reason.code !== 'stopped') end(reason);
        },
        ready: () => state,
      },
    );
  };
  begin();
}
