/** SelfSubjectReview: which user is the request from; an operation, not a stored object (KEP-3325). */
import { createdAtColumn, nameColumn } from '../columns/columns.ts';
import { defineResource } from '../define.ts';
import { nameIsPathSegment } from '../validation/name-rules.ts';

const featureGate = 'APISelfSubjectReview';
const replacement = 'authentication.{api}/v1 SelfSubjectReview';

export const selfSubjectReviews = defineResource({
  kind: 'SelfSubjectReview',
  plural: 'selfsubjectreviews',
  namespaced: false,
  verbs: ['create'],
  versions: [
    { version: 'v1', introducedIn: '1.28' },
    {
      version: 'v1beta1',
      introducedIn: '1.27',
      deprecatedIn: '1.30',
      removedIn: '1.33',
      replacement,
      featureGate,
    },
    {
      version: 'v1alpha1',
      introducedIn: '1.26',
      deprecatedIn: '1.29',
      removedIn: '1.32',
      replacement,
      featureGate,
    },
  ],
  validateName: nameIsPathSegment,
  columns: [nameColumn, createdAtColumn],
  virtual: true,
});
