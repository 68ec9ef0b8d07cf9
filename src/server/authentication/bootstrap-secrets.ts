/** Reads the Secrets of bootstrap tokens with a consistent read. */
import type { BootstrapSecret, BootstrapSecrets } from '../../authn/bootstrap-token.ts';
import type { Clock } from '../../base/clock.ts';
import { timeLimit } from '../../base/time-limit.ts';
import { systemNamespace, type NamingProfile } from '../../meta/naming.ts';
import { entryObject } from '../../registry/written-entry.ts';
import { memoized } from '../../registry/entry-memo.ts';
import type { Entry, Storage } from '../../storage/types.ts';

/** Timeout of a quorum read within a request. */
const readMs = 10_000;

/** How long the result of a quorum read is reused. */
const seenMs = 1_000;
const collection = 'core/secrets';

export function createBootstrapSecrets(
  storage: Pick<Storage, 'get' | 'peek'>,
  naming: NamingProfile,
  clock: Clock,
): BootstrapSecrets {
  const namespace = systemNamespace(naming);
  const keyOf = (name: string): string => `${namespace}/${name}`;
  /** Start of the last successful quorum read: the view contains everything committed before. */
  let freshAt = -Infinity;
  return {
    seen: (name) => {
      if (clock.monotonic() - freshAt > seenMs) return undefined;
      return { secret: secretOf(storage.peek(collection, keyOf(name))) };
    },
    read: async (name) => {
      using limit = timeLimit(clock, readMs);
      const begun = clock.monotonic();
      const entry = await storage.get(collection, keyOf(name), { kind: 'mostRecent' }, limit.signal);
      freshAt = Math.max(freshAt, begun);
      return secretOf(entry);
    },
  };
}

function secretOf(entry: Entry | undefined): BootstrapSecret | undefined {
  return entry && bootstrapSecret(entry);
}

/** Parsed once per revision. */
const bootstrapSecret = memoized((entry: Entry): BootstrapSecret => {
  const object = entryObject(entry);
  const { type = '', data } = object as { type?: string; data?: Record<string, string> | null };
  const texts = Object.entries(data ?? {}).map(
    ([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')] as const,
  );
  return { type, isDeleted: object.metadata.deletionTimestamp != null, data: new Map(texts) };
});
