/**
 * Follows a collection: a watch that is restarted with the current state whenever it ends.
 *
 *   state ──▶ events ──history lost, view rebuilt, listener threw──▶ pause ──▶ state …
 */
import { Backoff } from '../base/backoff.ts';
import type { Environment } from '../base/environment.ts';
import { pause } from '../base/pause.ts';
import type { CollectionId, CollectionSnapshot, Storage, StorageError, StoredEvent } from './types.ts';

export interface FollowDependencies extends Environment {
  readonly storage: Pick<Storage, 'watch'>;
}

export interface CollectionListener {
  /** The current state; events, and the next state, are delivered after it resolves. */
  onState(snapshot: CollectionSnapshot): void | Promise<void>;
  onEvents(events: readonly StoredEvent[]): void;
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
    storage.watch(
      { collection, prefix: '', start: { kind: 'stateThenChanges', freshness: { kind: 'any' } }, signal },
      {
        onEstablished: () => undefined,
        onInitial: (snapshot) => {
          state = Promise.resolve(listener.onState(snapshot)).then(() => {
            backoff.reset();
          });
        },
        onEvents: (events) => {
          listener.onEvents(events);
        },
        onProgress: () => undefined,
        onEnd: (reason) => {
          if (signal.aborted || reason.code === 'stopped') return;
          listener.onBreak?.(reason);
          // One that is still taking the state would put what is gone back into the next one.
          const taken = state.catch(() => undefined);
          void taken.then(() => pause(clock, backoff.nextMs(), signal)).then(begin);
        },
        ready: () => state,
      },
    );
  };
  begin();
}
