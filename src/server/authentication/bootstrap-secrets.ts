/** The Secrets of bootstrap tokens, as etcd has them. */
import { systemClock, type Clock } from '../../base/clock.ts';
import type { BootstrapSecret, BootstrapSecrets } from '../../authn/bootstrap-token.ts';
import { systemNamespace, type NamingProfile } from '../../meta/naming.ts';
import { entryObject } from '../../registry/entry.ts';
import { memoized } from '../../registry/entry-memo.ts';
import type { Entry, Storage } from '../../storage/types.ts';

/** Longest wait for a quorum read while a client waits for its answer. */
const readMs = 10_000;

/** So long what a quorum read has shown counts as seen. */
const seenMs = 1_000;
const collection = 'core/secrets';

export function createBootstrapSecrets(
  storage: Pick<Storage, 'get' | 'peek'>,
  naming: NamingProfile,
  clock: Clock = systemClock,
): BootstrapSecrets {
  const namespace = systemNamespace(naming);
  const keyOf = (name: string): string => `${namespace}/${name}`;
  /** When the last quorum read began that has ended well: all that was committed by then is in the view. */
  let freshAt = -Infinity;
  return {
    seen: (name) => {
      if (clock.monotonic() - freshAt > seenMs) return undefined;
      return { secret: secretOf(storage.peek(collection, keyOf(name))) };
    },
    read: async (name) => {
      const deadline = AbortSignal.timeout(readMs);
      const begun = clock.monotonic();
      const entry = await storage.get(collection, keyOf(name), { kind: 'mostRecent' }, deadline);
      freshAt = Math.max(freshAt, begun);
      return secretOf(entry);
    },
  };
}

function secretOf(entry: Entry | undefined): BootstrapSecret | undefined {
  return entry && bootstrapSecret(entry);
}

/** Read once per revision. */
const bootstrapSecret = memoized((entry: Entry): BootstrapSecret => {
  const object = entryObject(entry);
  const { type = '', data } = object as { type?: string; data?: Record<string, string> | null };
  const texts = Object.entries(data ?? {}).map(
    ([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')] as const,
  );
  return { type, isDeleted: object.metadata.deletionTimestamp != null, data: new Map(texts) };
});
