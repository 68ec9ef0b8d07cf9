/** Informer of RBAC objects: keeps the policy index in step with the replica's watch cache, one watch per resource. */
import type { Environment } from '../../base/environment.ts';
import type { Lifetime, Storage } from '../../storage/types.ts';
import { followIntoIndex } from '../index-follower.ts';
import { PolicyIndex, type ReadRoles } from './policy-index.ts';
import { policyPlurals } from './policy-objects.ts';

export interface RbacInformerOptions extends Environment {
  readonly storage: Pick<Storage, 'watch' | 'snapshot'>;
  /** The API group of roles and bindings. */
  readonly group: string;
  readonly warn: (details: object, message: string) => void;
  /** As that of the index. */
  readonly readRoles?: ReadRoles | undefined;
}

export interface RbacInformer {
  readonly index: PolicyIndex;
  /** Resolves when the index holds the state of all resources for the first time. */
  readonly loaded: Promise<void>;
  /** Resolves when the index holds what was written anywhere before the call. @throws StorageError */
  catchUp(lifetime: Lifetime): Promise<void>;
  /** Ends the watches. */
  close(): void;
}

/** Starts the informer; the caller closes it. */
export function startRbacInformer(options: RbacInformerOptions): RbacInformer {
  const { storage, group } = options;
  const index = new PolicyIndex(options.readRoles);
  const stopping = new AbortController();
  const followed = policyPlurals.map((plural) => {
    const indexed = {
      keys: () => index.keys(plural),
      put: (entry: Parameters<PolicyIndex['put']>[1]) => {
        index.put(plural, entry);
      },
      prepare: (entry: Parameters<PolicyIndex['prepare']>[1]) => index.prepare(plural, entry),
      remove: (key: string) => {
        index.remove(plural, key);
      },
    };
    const collection = `${group}/${plural}`;
    return followIntoIndex(indexed, { ...options, collection, signal: stopping.signal });
  });
  return {
    index,
    loaded: Promise.all(followed.map(({ loaded }) => loaded)).then(() => undefined),
    // Watches hear of a change before those who wait for the view to reach it.
    catchUp: async (lifetime) => {
      await storage.snapshot(`${group}/roles`, { kind: 'mostRecent' }, lifetime);
      await Promise.all(followed.map((following) => following.applied(lifetime)));
    },
    close: () => {
      stopping.abort();
    },
  };
}
