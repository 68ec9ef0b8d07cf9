/** Options of internal lists. */
import type { ListOptions } from '../types.ts';

/** The whole current collection. */
export const everything: ListOptions = {
  labelSelector: '',
  fieldSelector: '',
  resourceVersion: '',
  resourceVersionMatch: '',
  limit: 0,
  continue: '',
};
