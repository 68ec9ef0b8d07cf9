/** Authorization: access reviews. */
import type { GroupDefinition } from '../types.ts';
import {
  localSubjectAccessReviews,
  selfSubjectAccessReviews,
  selfSubjectRulesReviews,
  subjectAccessReviews,
} from './reviews.ts';

export const authorizationGroup: GroupDefinition = {
  group: 'authorization.{api}',
  folder: 'authorization',
  groupPriorityMinimum: 17600,
  versions: [
    { version: 'v1', versionPriority: 15, enabledByDefault: true, served: true },
    { version: 'v1beta1', versionPriority: 9, enabledByDefault: true, served: true },
  ],
  resources: [
    localSubjectAccessReviews,
    selfSubjectAccessReviews,
    selfSubjectRulesReviews,
    subjectAccessReviews,
  ],
};
