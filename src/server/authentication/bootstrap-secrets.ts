/** The Secrets of bootstrap tokens, as etcd has them. */
import type { BootstrapSecret, BootstrapSecrets } from '../../authn/bootstrap-token.ts';
import { systemNamespace, type NamingProfile } from '../../meta/naming.ts';
import { entryObject } from '../../registry/entry.ts';
import type { Entry, Storage } from '../../storage/types.ts';

/** Longest wait for a quorum read while a client waits for its answer. */
const readMs = 10_000;

export function createBootstrapSecrets(
  storage: Pick<Storage, 'get'>,
  naming: NamingProfile,
): BootstrapSecrets {
  const namespace = systemNamespace(naming);
  return {
    read: async (name) => {
      const deadline = AbortSignal.timeout(readMs);
      const key = `${namespace}/${name}`;
      return secretOf(await storage.get('core/secrets', key, { kind: 'mostRecent' }, deadline));
    },
  };
}

function secretOf(entry: Entry | undefined): BootstrapSecret | undefined {
  if (!entry) return undefined;
  const object = entryObject(entry);
  const { type = '', data } = object as { type?: string; data?: Record<string, string> | null };
  const texts = Object.entries(data ?? {}).map(
    ([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')] as const,
  );
  return { type, isDeleted: object.metadata.deletionTimestamp != null, data: new Map(texts) };
}
