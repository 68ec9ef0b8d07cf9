/** Options of lists that the service itself reads. */
import type { ListOptions } from '../types.ts';

/** All of a collection, as it is now. */
export const everything: ListOptions = {
  labelSelector: '',
  fieldSelector: '',
  resourceVersion: '',
  resourceVersionMatch: '',
  limit: 0,
  continue: '',
};
