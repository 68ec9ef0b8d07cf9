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
import { releaseText, type Release } from '../observe/release.ts';
import { groupAuthenticated, groupUnauthenticated } from '../meta/user.ts';
import type { FlowSources } from './flow-configuration.ts';
import { flowSchemasPlural, levelsPlural } from './flow-objects.ts';

export interface BootstrapFlowObject {
  readonly plural: typeof flowSchemasPlural | typeof levelsPlural;
  readonly name: string;
  readonly isMandatory: boolean;
  readonly spec: FlowSchemaSpec | PriorityLevelConfigurationSpec;
}

const made = new WeakMap<NamingProfile, Map<string, readonly BootstrapFlowObject[]>>();

/** Every object of a release, levels before the schemas that name them. Nobody may change them. */
export function bootstrapObjects(naming: NamingProfile, release: Release): readonly BootstrapFlowObject[] {
  const ofNaming = made.get(naming) ?? new Map<string, readonly BootstrapFlowObject[]>();
  made.set(naming, ofNaming);
  const key = releaseText(release);
  const objects = ofNaming.get(key) ?? makeObjects(naming, release);
  ofNaming.set(key, objects);
  return objects;
}

function makeObjects(naming: NamingProfile, release: Release): BootstrapFlowObject[] {
  const levelsAt = (levels: Levels): Levels => levelsOf(levels, release);
  const of = (
    plural: BootstrapFlowObject['plural'],
    isMandatory: boolean,
    specs: Readonly<Record<string, BootstrapFlowObject['spec']>>,
  ): BootstrapFlowObject[] =>
    Object.entries(specs).map(([name, spec]) => ({ plural, isMandatory, name, spec }));
  const objects = [
    ...of(levelsPlural, true, levelsAt(mandatoryLevels)),
    ...of(levelsPlural, false, levelsAt(suggestedLevels)),
    ...of(flowSchemasPlural, true, mandatorySchemas),
    ...of(flowSchemasPlural, false, suggestedSchemasOf(release)),
  ];
  return JSON.parse(expandNames(JSON.stringify(objects), naming)) as BootstrapFlowObject[];
}

/** What is in force without any stored object. */
export function bootstrapSources(objects: readonly BootstrapFlowObject[]): FlowSources {
  const of = (plural: BootstrapFlowObject['plural']): { name: string; uid: string; spec: object }[] =>
    objects.filter((object) => object.plural === plural).map(({ name, spec }) => ({ name, uid: '', spec }));
  return { schemas: of(flowSchemasPlural), levels: of(levelsPlural) };
}

type Levels = Readonly<Record<string, PriorityLevelConfigurationSpec>>;

/** What levels lend to others, in percent, from release 1.26 on. */
const lendable: Readonly<Record<string, number>> = {
  ...{ 'catch-all': 0, 'global-default': 50, 'leader-election': 0, 'node-high': 25 },
  ...{ system: 33, 'workload-high': 50, 'workload-low': 90 },
};

function levelsOf(levels: Levels, release: Release): Levels {
  const minor = minorOf(release);
  const known = Object.entries(levels).filter(([name]) => name !== nodeHigh || minor >= 22);
  return Object.fromEntries(
    known.map(([name, spec]) => {
      const { limited } = spec;
      if (limited && minor >= 26)
        return [name, { ...spec, limited: { ...limited, lendablePercent: lendable[name] ?? 0 } }];
      const isExempt = !limited && minor >= 28;
      return [
        name,
        isExempt ? { ...spec, exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } } : spec,
      ];
    }),
  );
}

function minorOf({ major, minor }: Release): number {
  return major > 1 ? Infinity : minor;
}

const nodeHigh = 'node-high';

const suggestedLevels: Levels = {
  system: queued({ shares: 30, queues: 64, handSize: 6 }),
  [nodeHigh]: queued({ shares: 40, queues: 64, handSize: 6 }),
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
const systemAccounts = account('*');
const electionVerbs = ['get', 'create', 'update'];

/** Schemas by name: level, precedence, flow distinguisher, and rules. */
function suggestedSchemasOf(release: Release): Readonly<Record<string, FlowSchemaSpec>> {
  const minor = minorOf(release);
  return {
    ...suggestedSchemas,
    ...(minor >= 22 && { 'system-node-high': nodeHealth }),
    ...(minor < 34 && { 'workload-leader-election': workloadElections }),
    ...(minor >= 24 && {
      'system-leader-election': systemElections([{ verbs: electionVerbs, ...leases }]),
      ...(minor < 34 && { 'endpoint-controller': endpointController }),
    }),
  };
}

const leases: ResourcePolicyRule = {
  apiGroups: ['coordination.{api}'],
  resources: ['leases'],
  namespaces: ['*'],
};

const nodeHealth = schema(nodeHigh, 400, 'ByUser', {
  subjects: [group('system:nodes')],
  resourceRules: [
    {
      ...{ verbs: ['*'], apiGroups: [''], resources: ['nodes', 'nodes/status'] },
      ...{ clusterScope: true, namespaces: ['*'] },
    },
    { verbs: ['*'], ...leases },
  ],
});

/** Its requests are no elections, though they look like some. */
const endpointController = schema('workload-high', 150, 'ByUser', {
  subjects: [
    user(controllerManager),
    account('endpoint-controller'),
    account('endpointslicemirroring-controller'),
  ],
  resourceRules: [{ verbs: electionVerbs, apiGroups: [''], resources: ['endpoints'], namespaces: ['*'] }],
});

const workloadElections = schema('leader-election', 200, 'ByUser', {
  subjects: [systemAccounts],
  resourceRules: elections('*'),
});

const suggestedSchemas: Readonly<Record<string, FlowSchemaSpec>> = {
  probes: schema(exempt, 2, undefined, {
    subjects: [group(groupUnauthenticated), group(groupAuthenticated)],
    nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }],
  }),
  'system-leader-election': systemElections(elections('{ns}-system')),
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
  return [
    {
      ...{ verbs: electionVerbs, apiGroups: [''], resources: ['endpoints', 'configmaps'] },
      namespaces: [namespace],
    },
    { verbs: electionVerbs, ...leases },
  ];
}

function systemElections(resourceRules: ResourcePolicyRule[]): FlowSchemaSpec {
  return schema('leader-election', 100, 'ByUser', {
    subjects: [user(controllerManager), user(scheduler), systemAccounts],
    resourceRules,
  });
}

function account(name: string): Subject {
  return { kind: 'ServiceAccount', serviceAccount: { namespace: '{ns}-system', name } };
}

function group(name: string): Subject {
  return { kind: 'Group', group: { name } };
}

function user(name: string): Subject {
  return { kind: 'User', user: { name } };
}
