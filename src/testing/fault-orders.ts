/** What faults are ordered, and what is said of them. Plain data: plans of faults are kept, sent and printed. */

/** Which requests a fault strikes. Without a member it strikes any; only requests of resources are struck. */
export interface FaultScope {
  /** Name of the user who asks: `admin`, one of `users`, a service account. */
  readonly user?: string;
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; `*` is any. */
  readonly verb?: string | readonly string[];
  /** `pods`, `deployments.apps`: objects with their subresources; `pods/status`: only that one; `*` is any. */
  readonly resource?: string | readonly string[];
  readonly namespace?: string;
  /** As in the path: a creation has none. */
  readonly name?: string;
  /** Which part of these requests, from 0 to 1; default 1. */
  readonly rate?: number;
  /** It ends after so many strikes; default: it goes on until it is ended. */
  readonly times?: number;
  /** So many matching requests pass first. */
  readonly after?: number;
  /**
   * Only these requests, as `FaultHandle.requests` names them: `update configmaps default/web of jane #2` is the second one of
   * that user for that object, whatever else is asked in between.
   */
  readonly requests?: readonly string[];
  /** Also requests of `controlPlane.admin`, by which `until` waits; default false. */
  readonly includeAdminClient?: boolean;
}

/** What is done to a request, by kind. Durations are texts such as `250ms`. */
export type FaultOrder =
  | { readonly kind: 'closeWatches'; readonly cut?: boolean; readonly scope?: FaultScope }
  | { readonly kind: 'expireHistory'; readonly scope?: FaultScope }
  | { readonly kind: 'staleReads'; readonly by: string; readonly scope?: FaultScope }
  | { readonly kind: 'lagReplica'; readonly by: string; readonly scope?: FaultScope }
  | { readonly kind: 'conflicts'; readonly scope?: FaultScope }
  | { readonly kind: 'delay'; readonly by: string; readonly scope?: FaultScope }
  | {
      readonly kind: 'refuse';
      readonly status: number;
      /** Seconds; default 1 for 429 and 503. */
      readonly retryAfter?: number;
      readonly scope?: FaultScope;
    }
  | { readonly kind: 'restart'; readonly downFor?: string; readonly scope?: FaultScope }
  | { readonly kind: 'loseAnswers'; readonly as?: LostAnswer; readonly scope?: FaultScope };

export type FaultKind = FaultOrder['kind'];

/** The connection is cut, or the answer is 504: whether the write took effect is unknown. */
export type LostAnswer = 'cut' | 'timeout';

export type FaultId = number;

/** A fault as the control plane is given it: from equal seeds and ids come equal decisions. */
export interface SeededFault {
  readonly id: FaultId;
  readonly seed: number;
  readonly order: FaultOrder;
}

/** What a fault did to a request. */
export interface FaultStrike {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly fault: FaultId;
  readonly kind: FaultKind;
  /** What was done, in words. */
  readonly did: string;
  /** Whose request it was; members of a fault that strikes without one are ''. */
  readonly user: string;
  readonly verb: string;
  /** `pods`, `deployments.apps/status` */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}
