/** Reads the Secrets of bootstrap tokens with a consistent read. */
import type { BootstrapSecret, BootstrapSecrets } from '../../authn/bootstrap-token.ts';
import type { Clock } from '../../base/clock.ts';
import { timeLimit } from '../../base/time-limit.ts';
import { systemNamespace, type NamingProfile } from '../../meta/naming.ts';
import type { ApiObject } from '../../meta/object.ts';
import { ObjectMemo } from '../../registry/object-memo.ts';
import type { Storage } from '../../storage/types.ts';

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
      const entry = storage.peek(collection, keyOf(name));
      const secret = entry && bootstrapSecrets.peek(entry);
      return entry && !secret ? undefined : { secret };
    },
    read: async (name) => {
      using limit = timeLimit(clock, readMs);
      const begun = clock.monotonic();
      const entry = await storage.get(collection, keyOf(name), { kind: 'mostRecent' }, limit.signal);
      freshAt = Math.max(freshAt, begun);
      return entry && (await bootstrapSecrets.read(entry));
    },
  };
}

/** Parsed once per revision. */
const bootstrapSecrets = new ObjectMemo((object: ApiObject): BootstrapSecret => {
  const { type = '', data } = object as { type?: string; data?: Record<string, string> | null };
  const texts = Object.entries(data ?? {}).map(
    ([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')] as const,
  );
  return { type, isDeleted: object.metadata.deletionTimestamp != null, data: new Map(texts) };
});
