/** TokenReview: which user does this token authenticate; an operation, not a stored object. */
import { createdAtColumn, nameColumn } from '../columns/columns.ts';
import { defineResource } from '../define.ts';
import { nameIsPathSegment } from '../validation/name-rules.ts';

export const tokenReviews = defineResource({
  kind: 'TokenReview',
  plural: 'tokenreviews',
  namespaced: false,
  verbs: ['create'],
  versions: [
    { version: 'v1' },
    {
      version: 'v1beta1',
      deprecatedIn: '1.19',
      removedIn: '1.22',
      replacement: 'authentication.{api}/v1 TokenReview',
    },
  ],
  validateName: nameIsPathSegment,
  columns: [nameColumn, createdAtColumn],
  virtual: true,
});
