/** What the control planes of this thread have together. */
import type { ReplicaParts } from '../../server/replica.ts';
import { Beginnings } from './beginnings.ts';
import { builtBeginning } from './built-beginning.ts';

/** Of those with an etcd in memory. */
export const beginnings = Beginnings.of(builtBeginning);

/** What was read of roles: forks have the entries of their original. */
export const readRoles: NonNullable<ReplicaParts['readRoles']> = new WeakMap();
