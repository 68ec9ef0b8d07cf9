/** The catalogue: every group that is built in. Names carry placeholders until a naming profile expands them. */
import { admissionRegistrationGroup } from './admissionregistration/group.ts';
import { apiExtensionsGroup } from './apiextensions/group.ts';
import { apiRegistrationGroup } from './apiregistration/group.ts';
import { appsGroup } from './apps/group.ts';
import { authenticationGroup } from './authentication/group.ts';
import { authorizationGroup } from './authorization/group.ts';
import { autoscalingGroup } from './autoscaling/group.ts';
import { batchGroup } from './batch/group.ts';
import { certificatesGroup } from './certificates/group.ts';
import { coordinationGroup } from './coordination/group.ts';
import { coreGroup } from './core/group.ts';
import { discoveryGroup } from './discovery/group.ts';
import { eventsGroup } from './events/group.ts';
import { extensionsGroup } from './extensions/group.ts';
import { flowControlGroup } from './flowcontrol/group.ts';
import { internalGroup } from './internal/group.ts';
import { networkingGroup } from './networking/group.ts';
import { nodeGroup } from './node/group.ts';
import { policyGroup } from './policy/group.ts';
import { rbacGroup } from './rbac/group.ts';
import { resourceGroup } from './resource/group.ts';
import { schedulingGroup } from './scheduling/group.ts';
import { storageGroup } from './storage/group.ts';
import { storageMigrationGroup } from './storagemigration/group.ts';
import type { GroupDefinition } from './types.ts';

export const builtInGroups: readonly GroupDefinition[] = [
  coreGroup,
  admissionRegistrationGroup,
  apiExtensionsGroup,
  apiRegistrationGroup,
  appsGroup,
  authenticationGroup,
  authorizationGroup,
  autoscalingGroup,
  batchGroup,
  certificatesGroup,
  coordinationGroup,
  discoveryGroup,
  eventsGroup,
  extensionsGroup,
  flowControlGroup,
  internalGroup,
  networkingGroup,
  nodeGroup,
  policyGroup,
  rbacGroup,
  resourceGroup,
  schedulingGroup,
  storageGroup,
  storageMigrationGroup,
];
