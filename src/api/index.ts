/** The catalogue: every group that is built in. Names carry placeholders until a naming profile expands them. */
import { apiRegistrationGroup } from './apiregistration/group.ts';
import { appsGroup } from './apps/group.ts';
import { autoscalingGroup } from './autoscaling/group.ts';
import { batchGroup } from './batch/group.ts';
import { coordinationGroup } from './coordination/group.ts';
import { coreGroup } from './core/group.ts';
import { discoveryGroup } from './discovery/group.ts';
import { eventsGroup } from './events/group.ts';
import { extensionsGroup } from './extensions/group.ts';
import { networkingGroup } from './networking/group.ts';
import { nodeGroup } from './node/group.ts';
import { policyGroup } from './policy/group.ts';
import { rbacGroup } from './rbac/group.ts';
import { schedulingGroup } from './scheduling/group.ts';
import { storageGroup } from './storage/group.ts';
import type { GroupDefinition } from './types.ts';

export const builtInGroups: readonly GroupDefinition[] = [
  coreGroup,
  apiRegistrationGroup,
  appsGroup,
  autoscalingGroup,
  batchGroup,
  coordinationGroup,
  discoveryGroup,
  eventsGroup,
  extensionsGroup,
  networkingGroup,
  nodeGroup,
  policyGroup,
  rbacGroup,
  schedulingGroup,
  storageGroup,
];
