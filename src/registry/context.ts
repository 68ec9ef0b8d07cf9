/** What every write needs beside its request: storage, admission, the circumstances that hooks may ask for. */
import type { ApiContext } from '../api/types.ts';
import type { Clock } from '../base/clock.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { Turns } from '../base/turns.ts';
import type { Storage } from '../storage/types.ts';
import type { ConversionReplay } from './conversion-replay.ts';
import type { Current } from './current.ts';
import type { ParsedObjects } from './parsed-objects.ts';
import type { AccountTokens } from './token-request.ts';
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
  /** For resources with a conversion of their own: conversions that field ownership asks for on its way. */
  readonly replay?: ConversionReplay;
  /** Makes tokens of service accounts; absent: there is no key to sign them with. */
  readonly tokens?: AccountTokens | undefined;
  /** Answers reviews of tokens and permissions; absent: they are not served. */
  readonly reviewer?: Reviewer;
  /** Makes names from `generateName`; absent: random ones. */
  readonly generateName?: (prefix: string) => string;
}

/** Runs pure work that may need objects in other versions; see `ConversionReplay`. Throws at once, or rejects, as it does. */
export function withConversions<T>({ replay }: RegistryDeps, work: () => T): MaybePromise<T> {
  return replay ? replay.run(work) : work();
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
