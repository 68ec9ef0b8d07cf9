/** What every write needs beside its request: storage, admission, and the environment that strategies see. */
import type { ApiContext } from '../api/types.ts';
import type { Clock } from '../base/clock.ts';
import type { Turns } from '../base/turns.ts';
import type { Storage } from '../storage/types.ts';
import type { Current } from './entry.ts';
import type { ParsedObjects } from './write/parsed-objects.ts';
import type { AccountTokens } from './subresources/account-tokens.ts';
import type { Reviewer } from './reviews/reviewer.ts';
import type { AdmissionChain, RequestScope, ResourceCatalogue } from './types.ts';

export interface RegistryDeps {
  readonly storage: Storage;
  readonly catalogue: ResourceCatalogue;
  readonly admission: AdmissionChain;
  readonly isFeatureEnabled: (gate: string) => boolean;
  readonly clock: Clock;
  /** Deletions set the finalizers that the garbage collector acts upon (`--enable-garbage-collector`). */
  readonly collectsGarbage: boolean;
  /** Writers of the same object that met once take turns; made by `createRegistry`. */
  readonly turns?: Turns<Current>;
  /** Objects as they were last written, for the writes that follow; made by `createRegistry`. */
  readonly written?: ParsedObjects;
  /** Makes tokens of service accounts; absent: there is no key to sign them with. */
  readonly tokens?: AccountTokens | undefined;
  /** Answers reviews of tokens and permissions; absent: they are not served. */
  readonly reviewer?: Reviewer;
  /** Makes names from `generateName`; absent: random ones. */
  readonly generateName?: (prefix: string) => string;
}

/** The context that strategies and defaults see. */
export function apiContext(deps: RegistryDeps, scope: RequestScope): ApiContext {
  return {
    naming: scope.resource.naming,
    isFeatureEnabled: deps.isFeatureEnabled,
    now: () => new Date(deps.clock.now()),
    subresource: scope.subresource,
    version: scope.resource.gvr.version,
    user: scope.user,
  };
}
