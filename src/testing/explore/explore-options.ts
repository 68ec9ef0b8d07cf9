/** What can be chosen of an exploration. */
import type { ControlPlane } from '../control-plane.ts';
import type { FaultKind, FaultOrder, FaultScope } from '../fault-orders.ts';
import type { ControlPlaneOptions } from '../options.ts';

export interface ExploreOptions {
  /** How many; default 100: 1, 2, 3 … */
  readonly seeds?: number;
  /** Only this one. */
  readonly seed?: number;
  /** In place of the faults that the seed makes. */
  readonly plan?: readonly FaultOrder[];
  /** Kinds of faults that are made; default all. */
  readonly faults?: readonly FaultKind[];
  /** What all faults are about, such as the user of the controller. */
  readonly scope?: FaultScope;
  /** One that runs and is reset before each seed, or options of one that is started; default: one without options. */
  readonly controlPlane?: ControlPlane | ControlPlaneOptions;
  /** Of one run; default 10 seconds. */
  readonly timeoutMs?: number;
  /** Runs that look for a smaller plan after a failure; default 10. */
  readonly shrinkRuns?: number;
}
