/** Valid objects that have each type with declared rules somewhere; one value of them at a time is made to break a rule. */
import type { JsonObject } from '../../../../src/base/json.ts';

export interface Sample {
  /** `plural.folder`. */
  readonly kind: string;
  readonly object: JsonObject;
  /** The rules are judged at an update of this subresource. */
  readonly subresource?: 'status';
}

const uuid = '8f0a2b4c-6d1e-4f3a-9b5c-7d8e9f0a1b2c';
const named = (name: string): JsonObject => ({ name, namespace: 'default' });
const taint = { key: 'example.com/worn', effect: 'NoSchedule' };
const toleration = { key: 'example.com/worn', operator: 'Exists' };
const selector = { cel: { expression: 'true' } };
const opaque = { driver: 'gpu.example.com', parameters: { a: 1 } };
const nodeSelector = {
  nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] }],
};

const claimSpec = {
  devices: {
    requests: [
      { name: 'one', exactly: { deviceClassName: 'gpu', selectors: [selector], tolerations: [toleration] } },
      { name: 'two', firstAvailable: [{ name: 'a', deviceClassName: 'gpu', selectors: [selector] }] },
    ],
    constraints: [{ requests: ['one'], matchAttribute: 'gpu.example.com/model' }],
    config: [{ requests: ['one'], opaque }],
  },
};

const claimStatus = {
  allocation: {
    devices: {
      results: [
        {
          ...{ request: 'one', driver: 'gpu.example.com', pool: 'pool-1', device: 'dev-1' },
          bindingConditions: ['Ready'],
          bindingFailureConditions: ['Failed'],
          tolerations: [toleration],
          shareID: uuid,
        },
      ],
      config: [{ source: 'FromClaim', requests: ['one'], opaque }],
    },
  },
  reservedFor: [{ resource: 'pods', name: 'p', uid: 'u' }],
  devices: [
    {
      ...{ driver: 'gpu.example.com', pool: 'pool-1', device: 'dev-1', shareID: uuid },
      networkData: { interfaceName: 'eth0', hardwareAddress: '00:11', ips: ['10.0.0.1/24'] },
    },
  ],
};

const device = {
  name: 'dev-1',
  attributes: { model: { string: 'a' } },
  capacity: { memory: { value: '1Gi', requestPolicy: { default: '1Gi', validValues: ['1Gi'] } } },
  consumesCounters: [{ counterSet: 'set-1', counters: { memory: { value: '1' } } }],
  taints: [taint],
  nodeName: 'n',
  bindingConditions: ['Ready'],
  bindingFailureConditions: ['Failed'],
};
const pool = { name: 'pool-1', generation: 1, resourceSliceCount: 1 };

const groupClaim = { name: 'claim', resourceClaimName: 'gpu' };
const groupParts = {
  schedulingPolicy: { gang: { minCount: 2 } },
  schedulingConstraints: { topology: [{ key: 'example.com/zone' }] },
  resourceClaims: [groupClaim],
  disruptionMode: 'Pod',
  priorityClassName: 'high',
  priority: 5,
};

const scaleLimits = { scaleTargetRef: { kind: 'Deployment', name: 'web', apiVersion: 'apps/v1' } };
const level = (spec: JsonObject): JsonObject => ({ metadata: { name: 'level' }, spec });
const limited = {
  nominalConcurrencyShares: 1,
  assuredConcurrencyShares: 1,
  limitResponse: { type: 'Reject' },
};
const role = { metadata: named('r'), rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] };

export const samples: readonly Sample[] = [
  { kind: 'resourceclaims.resource', object: { metadata: named('gpu'), spec: claimSpec } },
  {
    kind: 'resourceclaims.resource',
    object: { metadata: named('gpu'), spec: claimSpec, status: claimStatus },
    subresource: 'status',
  },
  {
    kind: 'resourceclaimtemplates.resource',
    object: { metadata: named('gpu'), spec: { spec: claimSpec } },
  },
  {
    kind: 'deviceclasses.resource',
    object: {
      metadata: { name: 'gpu' },
      spec: { selectors: [selector], config: [{ opaque }], extendedResourceName: 'example.com/gpu' },
    },
  },
  {
    kind: 'resourceslices.resource',
    object: {
      metadata: { name: 'slice' },
      spec: { driver: 'gpu.example.com', pool, perDeviceNodeSelection: true, devices: [device] },
    },
  },
  {
    kind: 'resourceslices.resource',
    object: {
      metadata: { name: 'counters' },
      spec: {
        ...{ driver: 'gpu.example.com', pool, nodeSelector },
        sharedCounters: [{ name: 'set-1', counters: { memory: { value: '1' } } }],
      },
    },
  },
  {
    kind: 'devicetaintrules.resource',
    object: { metadata: { name: 'worn' }, spec: { deviceSelector: { driver: 'gpu.example.com' }, taint } },
  },
  {
    kind: 'resourcepoolstatusrequests.resource',
    object: {
      metadata: { name: 'ask' },
      spec: { driver: 'gpu.example.com', poolName: 'pool-1', limit: 10 },
    },
  },
  {
    kind: 'resourcepoolstatusrequests.resource',
    object: {
      metadata: { name: 'ask' },
      spec: { driver: 'gpu.example.com' },
      status: {
        poolCount: 1,
        conditions: [
          {
            ...{ type: 'Complete', status: 'True', reason: 'Done', message: '' },
            lastTransitionTime: '2021-06-01T12:00:00Z',
          },
        ],
        pools: [
          {
            ...{ driver: 'gpu.example.com', poolName: 'pool-1', nodeName: 'n', generation: 1 },
            ...{ totalDevices: 1, allocatedDevices: 0, availableDevices: 1, unavailableDevices: 0 },
            ...{ resourceSliceCount: 1, validationError: 'none' },
          },
        ],
      },
    },
    subresource: 'status',
  },
  {
    kind: 'podgroups.scheduling',
    object: {
      metadata: named('g'),
      spec: {
        ...groupParts,
        podGroupTemplateRef: { workload: { workloadName: 'w', podGroupTemplateName: 't' } },
      },
    },
  },
  {
    kind: 'podgroups.scheduling',
    object: {
      metadata: named('g'),
      spec: { schedulingPolicy: { basic: {} } },
      status: { resourceClaimStatuses: [{ name: 'claim', resourceClaimName: 'gpu' }] },
    },
    subresource: 'status',
  },
  {
    kind: 'workloads.scheduling',
    object: {
      metadata: named('w'),
      spec: {
        controllerRef: { apiGroup: 'batch', kind: 'Job', name: 'j' },
        podGroupTemplates: [{ name: 't', ...groupParts }],
      },
    },
  },
  {
    kind: 'horizontalpodautoscalers.autoscaling',
    object: { metadata: named('web'), spec: { ...scaleLimits, minReplicas: 1, maxReplicas: 3 } },
  },
  {
    kind: 'cronjobs.batch',
    object: {
      metadata: named('c'),
      spec: {
        ...{ schedule: '* * * * *', concurrencyPolicy: 'Allow' },
        jobTemplate: {
          spec: {
            template: { spec: { restartPolicy: 'Never', containers: [{ name: 'm', image: 'i' }] } },
          },
        },
      },
    },
  },
  {
    kind: 'replicationcontrollers',
    object: {
      metadata: named('rc'),
      spec: {
        ...{ replicas: 1, minReadySeconds: 1, selector: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'm', image: 'i' }] } },
      },
    },
  },
  {
    kind: 'pods',
    object: {
      metadata: named('p'),
      spec: {
        schedulingGroup: { podGroupName: 'g' },
        containers: [
          {
            ...{ name: 'm', image: 'i', restartPolicy: 'Never' },
            restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [1] } }],
          },
        ],
      },
    },
  },
  {
    kind: 'endpointslices.discovery',
    object: {
      ...{ metadata: named('e'), addressType: 'IPv4' },
      endpoints: [{ addresses: ['10.0.0.1'] }],
      ports: [],
    },
  },
  {
    kind: 'prioritylevelconfigurations.flowcontrol',
    object: level({ type: 'Limited', limited }),
  },
  {
    kind: 'ipaddresses.networking',
    object: {
      metadata: { name: '10.0.0.1' },
      spec: { parentRef: { resource: 'services', name: 'a', namespace: 'b' } },
    },
  },
  {
    kind: 'networkpolicies.networking',
    object: {
      metadata: named('n'),
      spec: { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: '10.0.0.0/8' } }] }] },
    },
  },
  {
    kind: 'ingressclasses.networking',
    object: {
      metadata: { name: 'i' },
      spec: { controller: 'example.com/c', parameters: { kind: 'Config', name: 'c', scope: 'Cluster' } },
    },
  },
  { kind: 'runtimeclasses.node', object: { metadata: { name: 'r' }, handler: 'runc' } },
  { kind: 'roles.rbac', object: role },
  {
    kind: 'rolebindings.rbac',
    object: {
      metadata: named('b'),
      roleRef: { apiGroup: 'rbac.authorization.orch.io', kind: 'Role', name: 'r' },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.orch.io', name: 'ada' }],
    },
  },
  {
    kind: 'validatingadmissionpolicybindings.admissionregistration',
    object: { metadata: { name: 'b' }, spec: { policyName: 'p.example.com', validationActions: ['Deny'] } },
  },
  {
    kind: 'volumeattachments.storage',
    object: {
      metadata: { name: 'a' },
      spec: { attacher: 'csi.example.com', nodeName: 'n', source: { persistentVolumeName: 'v' } },
    },
  },
  {
    kind: 'storageclasses.storage',
    object: {
      ...{ metadata: { name: 's' }, provisioner: 'csi.example.com' },
      ...{ reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' },
    },
  },
];
