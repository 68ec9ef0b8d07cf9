/** What faults are done to: a control plane as they see it. */
import type { Clock } from '../../../base/clock.ts';
import type { RequestContext } from '../../../http/request-context.ts';
import type { RequestInfo } from '../../../meta/request-info.ts';
import type { ResourceVerbs } from '../../../registry/types.ts';
import type { FaultId } from '../../fault-orders.ts';

export interface FaultTarget {
  readonly clock: Clock;
  /** As `meantResource` of what is served now. */
  meant(resource: string): string | undefined;
  /** Ends open watches cleanly. */
  endWatches(isOver: (request: RequestContext) => boolean): void;
  /** Writes the object again as it is, as another client would: its version grows. False if there is none. */
  touch(info: RequestInfo): Promise<boolean>;
  /** Commits something that is no object. @returns the revision, which is greater than all that were told */
  moveOn(): Promise<number>;
  /** Verbs of another replica over the same etcd, whose watches of it come late. */
  lagging(): Promise<ResourceVerbs>;
  /** How late those are for a fault, in milliseconds; the longest of all counts. */
  lagBy(fault: FaultId, ms: number): void;
  /** Answers what has begun, ends all connections, and serves again at the same port after a while. */
  restart(downMs: number): Promise<void>;
  /** A restart that goes on waits no longer. */
  comeBack(): void;
}
