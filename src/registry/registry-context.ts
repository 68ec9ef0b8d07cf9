/** Dependencies of writes: storage, admission, and the context of strategies. */
import { GrownWrite } from '../meta/grown-write.ts';
import type { AddressRange, ServiceRanges } from '../api/core/service/value-range.ts';
import type { ApiContext } from '../api/types.ts';
import type { Environment } from '../base/environment.ts';
import type { KeyedQueue } from '../base/keyed-queue.ts';
import { currentRelease, type Release } from '../observe/release.ts';
import type { Entry, Storage } from '../storage/types.ts';
import type { Current } from './written-entry.ts';
import type { ParsedObjects } from './write/parsed-objects.ts';
import type { AccountTokens } from './subresources/account-tokens.ts';
import type { Reviewer } from './reviews/reviewer.ts';
import type { AdmissionChain, RequestScope, ResourceCatalogue } from './types.ts';

export interface RegistryDeps extends Environment {
  readonly storage: Storage;
  readonly catalogue: ResourceCatalogue;
  readonly admission: AdmissionChain;
  readonly isFeatureEnabled: (gate: string) => boolean;
  /** Containers may be privileged; default true. */
  readonly allowsPrivileged?: boolean;
  /** Objects of a collection that are deleted at a time; default 16. */
  readonly deleteCollectionWorkers?: number;
  /** The emulated release; defaults to the current one. */
  readonly release?: Release;
  /** Deletions set the finalizers of the garbage collector (`--enable-garbage-collector`). */
  readonly collectsGarbage: boolean;
  /** What a write would leave for readers; absent where it is what is written. Made by `createRegistry`. */
  readonly rehearse?: (placed: Pick<Entry, 'collection' | 'key'>, bytes: Buffer) => Promise<Buffer>;
  /** Serializes writers of the same object after a conflict; made by `createRegistry`. */
  readonly writerQueue?: KeyedQueue<Current>;
  /** Cache of written objects for later writes; made by `createRegistry`. */
  readonly written?: ParsedObjects;
  /** Ranges of the addresses and node ports of services; absent if none are allocated. */
  readonly ranges?: ServiceRanges;
  /** Ranges of addresses that were added while the service runs; absent: none are. */
  readonly addedRanges?: (() => readonly AddressRange[]) | undefined;
  /** Issues service account tokens; absent without a signing key. */
  readonly tokens?: AccountTokens | undefined;
  /** Serves token and access reviews; absent if they are not served. */
  readonly reviewer?: Reviewer;
  /** Generates names from `generateName`; defaults to random suffixes. */
  readonly generateName?: (prefix: string) => string;
}

/** @throws GrownWrite */
function move(): never {
  throw new GrownWrite();
}

/** The context that strategies and defaults see. */
export function apiContext(deps: RegistryDeps, scope: RequestScope): ApiContext {
  return {
    naming: scope.resource.naming,
    isFeatureEnabled: deps.isFeatureEnabled,
    allowsPrivileged: deps.allowsPrivileged ?? true,
    now: () => new Date(deps.clock.now()),
    subresource: scope.subresource,
    version: scope.resource.gvr.version,
    user: scope.user,
    release: deps.release ?? currentRelease,
    warn: scope.warn,
    ...(scope.growth === 'moves' && { noteLongWork: move }),
    isAside: scope.growth === 'stays',
  };
}
