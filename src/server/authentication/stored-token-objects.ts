/** Reads service accounts and bound objects of tokens from storage. */
import { digestOf } from '../../authn/secret-digest.ts';
import type {
  TokenObject,
  TokenObjectKind,
  TokenObjects,
} from '../../authn/service-account/token-objects.ts';
import type { Stored } from '../../api/define.ts';
import type { ServiceAccount } from '../../api/core/v1.types.ts';
import type { Clock } from '../../base/clock.ts';
import { timeLimit } from '../../base/time-limit.ts';
import type { ApiObject } from '../../meta/object.ts';
import { ObjectMemo } from '../../registry/object-memo.ts';
import type { Storage } from '../../storage/types.ts';

const collections: Readonly<Record<TokenObjectKind, string>> = {
  ServiceAccount: 'core/serviceaccounts',
  Secret: 'core/secrets',
  Pod: 'core/pods',
  Node: 'core/nodes',
};

/** Timeout of a quorum read within a request. */
const readMs = 10_000;

export function createTokenObjects(storage: Pick<Storage, 'peek' | 'get'>, clock: Clock): TokenObjects {
  return {
    peek: (kind, key) => {
      const entry = storage.peek(collections[kind], key);
      return entry && tokenObjects.peek(entry);
    },
    read: async (kind, key) => {
      using limit = timeLimit(clock, readMs);
      const entry = await storage.get(collections[kind], key, { kind: 'mostRecent' }, limit.signal);
      return entry && (await tokenObjects.read(entry));
    },
  };
}

/** Parsed once per revision: every request of a service account reads them. */
const tokenObjects = new ObjectMemo((object: ApiObject): TokenObject => {
  const { uid = '', deletionTimestamp, labels } = object.metadata;
  const { token } = (object['data'] ?? {}) as { token?: string };
  const { secrets } = object as Partial<Stored<ServiceAccount>>;
  return {
    uid,
    ...(secrets && { secrets: new Set(secrets.map(({ name = '' }) => name)) }),
    deletedAt: deletionTimestamp == null ? undefined : Date.parse(deletionTimestamp),
    ...(token !== undefined && { labels: labels ?? {} }),
    tokenDigest: token === undefined ? undefined : digestOf(Buffer.from(token, 'base64').toString('latin1')),
  };
});
