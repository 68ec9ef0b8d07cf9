/** What a fault does. */
import type { MaybePromise } from '../../../base/maybe-promise.ts';
import type { RequestContext } from '../../../http/request-context.ts';
import type { ResourceVerbs } from '../../../registry/types.ts';
import type { FaultTarget } from './fault-target.ts';
import type { StruckRequest } from './struck-request.ts';

/** A request on its way through the faults. */
export interface Handling {
  readonly request: StruckRequest;
  /** Of this user for this object: `update configmaps default/web of jane #2`. */
  readonly number: string;
  /** By which it is served in the end. */
  verbs: ResourceVerbs;
}

/** Goes on with the other faults, then serves; another context in place of that of the request, if one is given. */
export type Next = (asked?: RequestContext) => MaybePromise<void>;

export interface Effect {
  /** Whether it can be done to this request at all. */
  concerns(context: RequestContext, request: StruckRequest): boolean;
  /** Done when it is ordered, unless it waits for requests to pass. */
  begin?(): Promise<void>;
  end?(): void;
  /** @throws StatusError to refuse the request */
  strike(context: RequestContext, handling: Handling, next: Next): MaybePromise<void>;
}

export interface EffectParts {
  readonly target: FaultTarget;
  /** Notes what was done. @param request absent if it was done to none in particular */
  readonly log: (did: string, request?: StruckRequest) => void;
}
