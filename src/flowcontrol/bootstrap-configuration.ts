/**
 * The flow schemas and priority levels that every service begins with. Mandatory ones are always what they are;
 * suggested ones are a beginning that administrators may change. Names carry placeholders of the naming profile.
 */
import { exempt, mandatoryLevels, mandatorySchemas } from '../api/flowcontrol/mandatory.ts';
import type {
  FlowSchemaSpec,
  PolicyRulesWithSubjects,
  PriorityLevelConfigurationSpec,
  ResourcePolicyRule,
  Subject,
} from '../api/flowcontrol/v1beta1.types.ts';
import { expandNames, type NamingProfile } from '../meta/naming.ts';
import { groupAuthenticated, groupUnauthenticated } from '../meta/user.ts';
import type { FlowSources } from './flow-configuration.ts';
import { flowSchemasPlural, levelsPlural } from './flow-objects.ts';

export interface BootstrapFlowObject {
  readonly plural: typeof flowSchemasPlural | typeof levelsPlural;
  readonly name: string;
  readonly isMandatory: boolean;
  readonly spec: FlowSchemaSpec | PriorityLevelConfigurationSpec;
}

const made = new WeakMap<NamingProfile, readonly BootstrapFlowObject[]>();

/** Every object, levels before the schemas that name them. Nobody may change them. */
export function bootstrapObjects(naming: NamingProfile): readonly BootstrapFlowObject[] {
  const objects = made.get(naming) ?? makeObjects(naming);
  made.set(naming, objects);
  return objects;
}

function makeObjects(naming: NamingProfile): BootstrapFlowObject[] {
  const of = (
    plural: BootstrapFlowObject['plural'],
    isMandatory: boolean,
    specs: Readonly<Record<string, BootstrapFlowObject['spec']>>,
  ): BootstrapFlowObject[] =>
    Object.entries(specs).map(([name, spec]) => ({ plural, isMandatory, name, spec }));
  const objects = [
    ...of(levelsPlural, true, mandatoryLevels),
    ...of(levelsPlural, false, suggestedLevels),
    ...of(flowSchemasPlural, true, mandatorySchemas),
    ...of(flowSchemasPlural, false, suggestedSchemas),
  ];
  return JSON.parse(expandNames(JSON.stringify(objects), naming)) as BootstrapFlowObject[];
}

/** What is in force without any stored object. */
export function bootstrapSources(objects: readonly BootstrapFlowObject[]): FlowSources {
  const of = (plural: BootstrapFlowObject['plural']): { name: string; uid: string; spec: object }[] =>
    objects.filter((object) => object.plural === plural).map(({ name, spec }) => ({ name, uid: '', spec }));
  return { schemas: of(flowSchemasPlural), levels: of(levelsPlural) };
}

const suggestedLevels: Readonly<Record<string, PriorityLevelConfigurationSpec>> = {
  system: queued({ shares: 30, queues: 64, handSize: 6 }),
  'leader-election': queued({ shares: 10, queues: 16, handSize: 4 }),
  'workload-high': queued({ shares: 40, queues: 128, handSize: 6 }),
  'workload-low': queued({ shares: 100, queues: 128, handSize: 6 }),
  'global-default': queued({ shares: 20, queues: 128, handSize: 6 }),
};

function queued(size: { shares: number; queues: number; handSize: number }): PriorityLevelConfigurationSpec {
  const { shares, queues, handSize } = size;
  return {
    type: 'Limited',
    limited: {
      assuredConcurrencyShares: shares,
      limitResponse: { type: 'Queue', queuing: { queues, handSize, queueLengthLimit: 50 } },
    },
  };
}

const [controllerManager, scheduler] = ['system:{ns}-controller-manager', 'system:{ns}-scheduler'];
const systemAccounts: Subject = {
  kind: 'ServiceAccount',
  serviceAccount: { namespace: '{ns}-system', name: '*' },
};

/** Schemas by name: level, precedence, flow distinguisher, and rules. */
const suggestedSchemas: Readonly<Record<string, FlowSchemaSpec>> = {
  probes: schema(exempt, 2, undefined, {
    subjects: [group(groupUnauthenticated), group(groupAuthenticated)],
    nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }],
  }),
  'system-leader-election': schema('leader-election', 100, 'ByUser', {
    subjects: [user(controllerManager), user(scheduler), systemAccounts],
    resourceRules: elections('{ns}-system'),
  }),
  'workload-leader-election': schema('leader-election', 200, 'ByUser', {
    subjects: [systemAccounts],
    resourceRules: elections('*'),
  }),
  'system-nodes': schema('system', 500, 'ByUser', everything(group('system:nodes'))),
  '{ns}-controller-manager': schema('workload-high', 800, 'ByNamespace', everything(user(controllerManager))),
  '{ns}-scheduler': schema('workload-high', 800, 'ByNamespace', everything(user(scheduler))),
  '{ns}-system-service-accounts': schema('workload-high', 900, 'ByNamespace', everything(systemAccounts)),
  'service-accounts': schema('workload-low', 9000, 'ByUser', everything(group('system:serviceaccounts'))),
  'global-default': schema(
    'global-default',
    9900,
    'ByUser',
    everything(group(groupUnauthenticated), group(groupAuthenticated)),
  ),
};

function schema(
  level: string,
  matchingPrecedence: number,
  method: 'ByUser' | 'ByNamespace' | undefined,
  rules: PolicyRulesWithSubjects,
): FlowSchemaSpec {
  return {
    priorityLevelConfiguration: { name: level },
    matchingPrecedence,
    ...(method && { distinguisherMethod: { type: method } }),
    rules: [rules],
  };
}

function everything(...subjects: Subject[]): PolicyRulesWithSubjects {
  return {
    subjects,
    resourceRules: [
      { verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] },
    ],
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
  };
}

/** Objects that leaders are elected with; all kinds but leases in these namespaces alone. */
function elections(namespace: string): ResourcePolicyRule[] {
  const verbs = ['get', 'create', 'update'];
  return [
    { verbs, apiGroups: [''], resources: ['endpoints', 'configmaps'], namespaces: [namespace] },
    { verbs, apiGroups: ['coordination.{api}'], resources: ['leases'], namespaces: ['*'] },
  ];
}

function group(name: string): Subject {
  return { kind: 'Group', group: { name } };
}

function user(name: string): Subject {
  return { kind: 'User', user: { name } };
}
