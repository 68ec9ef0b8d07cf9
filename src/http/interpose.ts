/**
 * What a composition puts between the filters and the verbs. A service has none; a control plane of tests injects
 * faults there, where user, verb and resource of a request are known.
 */
import type { ResourceVerbs } from '../registry/types.ts';
import type { Step } from './filters/step.ts';

/** Ways to serve a request that has passed the filters. */
export interface Dispatches {
  readonly usual: Step;
  readonly verbs: ResourceVerbs;
  /** As `usual`, by other verbs. */
  by(verbs: ResourceVerbs): Step;
}

/** Gives the last step of the chain, which serves each request in one of these ways, or refuses it. */
export type Interpose = (dispatches: Dispatches) => Step;
