/**
 * A key that exists as long as the process that announces it: attached to a lease of etcd that is kept alive. Renewals
 * write nothing, so that they are no events.
 */
import type { Clock } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import { pause, withDeadline } from '../base/pause.ts';
import { BackgroundLoop } from './background-loop.ts';
import type { EtcdClient } from './etcd/client.ts';
import { refusesWrites, toEtcdError } from './etcd/etcd-error.ts';
import type { Int64 } from './etcd/message-types.ts';
import type { KeySpace } from './keys.ts';
import type { StorageLogger } from './options.ts';
import type { CollectionId, ObjectKey } from './types.ts';

export interface AnnouncedKey {
  readonly collection: CollectionId;
  readonly key: ObjectKey;
  readonly bytes: Buffer;
  /** Time in seconds after which the key is deleted if nothing is heard of the process. */
  readonly ttlSeconds: number;
}

export interface Announcement {
  /**
   * Resolves when the key is in etcd for the first time, or when this is closed before; also when an alarm of etcd
   * refuses all writes, because a start that waits for it serves no reads.
   */
  readonly announced: Promise<void>;
  /** Deletes the key, at most after its time to live. */
  close(): Promise<void>;
}

export interface AnnouncementDependencies {
  readonly clock: Clock;
  readonly client: EtcdClient;
  readonly keys: KeySpace;
  readonly logger: StorageLogger;
}

/** A stop waits no longer for an etcd that does not answer: the key goes by itself. */
const withdrawMs = 2_000;

/** Announces until it is closed; etcd may be away in between. */
export function announce(deps: AnnouncementDependencies, announced: AnnouncedKey): Announcement {
  const { client, clock, logger } = deps;
  const intervalMs = (announced.ttlSeconds * 1_000) / 3;
  const first = Promise.withResolvers<undefined>();
  let lease: Int64 | undefined;
  const renew = async (): Promise<void> => {
    if (lease !== undefined && (await client.keepLeaseAlive(lease))) return;
    lease = await attach(deps, announced);
    first.resolve(undefined);
  };
  const loop = new BackgroundLoop(intervalMs, async (signal) => {
    while (!signal.aborted) {
      await renew().catch((error: unknown) => {
        logger.warn(
          { key: announced.key, error: messageOf(error) },
          'a key could not be announced; retrying',
        );
        if (refusesWrites(toEtcdError(error, 'lease'))) first.resolve(undefined);
      });
      await pause(clock, intervalMs, signal);
    }
  });
  loop.start();
  const withdraw = async (): Promise<void> => {
    await loop.stop();
    first.resolve(undefined);
    if (lease !== undefined) await client.revokeLease(lease);
  };
  return {
    announced: first.promise,
    close: async () => {
      const late = (): Error => new Error('etcd does not answer');
      await withDeadline(clock, withdraw(), withdrawMs, late).catch((error: unknown) => {
        logger.warn(
          { key: announced.key, error: messageOf(error) },
          'an announced key stays until it expires',
        );
      });
    },
  };
}

/** Writes the key with a new lease. Returns the lease. */
async function attach(
  { client, keys }: AnnouncementDependencies,
  { collection, key, bytes, ttlSeconds }: AnnouncedKey,
): Promise<Int64> {
  const { ID: lease } = await client.grantLease(ttlSeconds);
  await client.put({ key: keys.object(collection, key), value: bytes, lease });
  return lease;
}
