/** The catalogue: every group that is built in. Names carry placeholders until a naming profile expands them. */
import { apiRegistrationGroup } from './apiregistration/group.ts';
import { appsGroup } from './apps/group.ts';
import { autoscalingGroup } from './autoscaling/group.ts';
import { batchGroup } from './batch/group.ts';
import { coordinationGroup } from './coordination/group.ts';
import { coreGroup } from './core/group.ts';
import { extensionsGroup } from './extensions/group.ts';
import { networkingGroup } from './networking/group.ts';
import { storageGroup } from './storage/group.ts';
import type { GroupDefinition } from './types.ts';

export const builtInGroups: readonly GroupDefinition[] = [
  coreGroup,
  apiRegistrationGroup,
  appsGroup,
  autoscalingGroup,
  batchGroup,
  coordinationGroup,
  extensionsGroup,
  networkingGroup,
  storageGroup,
];
