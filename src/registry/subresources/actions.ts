/** The action subresources and virtual resources. */
import { createBinding } from './binding.ts';
import { readComponentStatus } from './component-status.ts';
import { ephemeralContainers } from './ephemeral-containers.ts';
import { evictPod } from './eviction.ts';
import { reviewAccess, reviewOwnAccess } from '../reviews/access-review.ts';
import { reviewOwnRules } from '../reviews/rules-review.ts';
import { reviewSelf } from '../reviews/self-review.ts';
import { reviewToken } from '../reviews/token-review.ts';
import { scaleObject } from './scale.ts';
import { requestToken } from './token-request.ts';
import type { Action } from './action.ts';

/** By handler name (subresources) or plural (virtual resources). */
export const actions: ReadonlyMap<string, Action> = new Map<string, Action>([
  ['binding', createBinding],
  ['bindings', createBinding],
  ['componentstatuses', readComponentStatus],
  ['ephemeral-containers', ephemeralContainers],
  ['eviction', evictPod],
  ['localsubjectaccessreviews', reviewAccess],
  ['scale', scaleObject],
  ['selfsubjectaccessreviews', reviewOwnAccess],
  ['selfsubjectrulesreviews', reviewOwnRules],
  ['selfsubjectreviews', reviewSelf],
  ['subjectaccessreviews', reviewAccess],
  ['token', requestToken],
  ['tokenreviews', reviewToken],
]);
