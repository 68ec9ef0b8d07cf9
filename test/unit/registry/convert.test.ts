/** The tables of the specification ("Removed API versions by release"), row by row, with their notable changes. */
import { builtInGroups } from '../../../src/api/index.ts';
import { loadCatalogueSchemas } from '../../../src/api/schemas.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { Converter } from '../../../src/registry/conversion/manifest-converter.ts';

const naming = namingProfiles.orch;
const schemas = loadCatalogueSchemas(naming);
const converter = new Converter({ naming, groups: builtInGroups, schemas, isFeatureEnabled: () => false });
const to = (object: JsonObject, apiVersion = ''): JsonObject => converter.convert(object, apiVersion).object;

const metadata = { name: 'x' };
const labels = { app: 'x' };
const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'nginx:1' }] } };
const selector = { matchLabels: labels };
const rollingUpdate = (value: string | number): JsonObject => ({
  type: 'RollingUpdate',
  rollingUpdate: { maxSurge: value, maxUnavailable: value },
});

interface Row {
  readonly kind: string;
  readonly from: string;
  readonly to: string;
  readonly object?: JsonObject;
  readonly want?: JsonObject;
}

const rows: Row[] = [
  // 1.25
  { kind: 'CronJob', from: 'batch/v1beta1', to: 'batch/v1' },
  {
    kind: 'EndpointSlice',
    from: 'discovery.orch.io/v1beta1',
    to: 'discovery.orch.io/v1',
    object: {
      addressType: 'IPv4',
      endpoints: [
        {
          addresses: ['10.0.0.1'],
          nodeName: 'n1',
          topology: { 'orch.io/hostname': 'n1', 'topology.orch.io/zone': 'z1', other: 'o' },
        },
      ],
    },
    want: { endpoints: [{ nodeName: 'n1', zone: 'z1', deprecatedTopology: { other: 'o' } }] },
  },
  {
    kind: 'Event',
    from: 'events.orch.io/v1beta1',
    to: 'events.orch.io/v1',
    object: { eventTime: '2021-01-01T00:00:00.000000Z', reportingController: 'c', regarding: { name: 'p' } },
    want: { reportingController: 'c', regarding: { name: 'p' } },
  },
  {
    kind: 'PodDisruptionBudget',
    from: 'policy/v1beta1',
    to: 'policy/v1',
    object: { spec: { minAvailable: 1, selector } },
    want: { spec: { minAvailable: 1, selector } },
  },
  {
    kind: 'RuntimeClass',
    from: 'node.orch.io/v1beta1',
    to: 'node.orch.io/v1',
    object: { handler: 'h' },
    want: { handler: 'h' },
  },
  // 1.22
  ...['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'].map((kind) => ({
    kind,
    from: 'admissionregistration.orch.io/v1beta1',
    to: 'admissionregistration.orch.io/v1',
    object: { webhooks: [{ name: 'a.example.com', clientConfig: { url: 'https://example.com' } }] },
    want: {
      webhooks: [
        {
          ...{ failurePolicy: 'Ignore', matchPolicy: 'Exact', timeoutSeconds: 30, sideEffects: 'Unknown' },
          admissionReviewVersions: ['v1beta1'],
        },
      ],
    },
  })),
  {
    kind: 'CustomResourceDefinition',
    from: 'apiextensions.orch.io/v1beta1',
    to: 'apiextensions.orch.io/v1',
    object: {
      spec: {
        group: 'example.com',
        names: { kind: 'Thing', plural: 'things' },
        version: 'v1',
        preserveUnknownFields: false,
        validation: { openAPIV3Schema: { type: 'object' } },
        subresources: { status: {} },
        additionalPrinterColumns: [{ name: 'Size', type: 'integer', JSONPath: '.spec.size' }],
        conversion: {
          strategy: 'Webhook',
          webhookClientConfig: { url: 'https://example.com' },
          conversionReviewVersions: ['v1beta1'],
        },
      },
    },
    want: {
      spec: {
        scope: 'Namespaced',
        versions: [
          {
            ...{ name: 'v1', served: true, storage: true },
            schema: { openAPIV3Schema: { type: 'object' } },
            subresources: { status: {} },
            additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
          },
        ],
        conversion: {
          strategy: 'Webhook',
          webhook: { clientConfig: { url: 'https://example.com' }, conversionReviewVersions: ['v1beta1'] },
        },
      },
    },
  },
  { kind: 'TokenReview', from: 'authentication.orch.io/v1beta1', to: 'authentication.orch.io/v1' },
  ...['SubjectAccessReview', 'LocalSubjectAccessReview'].map((kind) => ({
    ...{ kind, from: 'authorization.orch.io/v1beta1', to: 'authorization.orch.io/v1' },
    object: { spec: { group: ['g'], user: 'ann' } },
    want: { spec: { groups: ['g'], user: 'ann' } },
  })),
  { kind: 'SelfSubjectAccessReview', from: 'authorization.orch.io/v1beta1', to: 'authorization.orch.io/v1' },
  { kind: 'APIService', from: 'apiregistration.orch.io/v1beta1', to: 'apiregistration.orch.io/v1' },
  { kind: 'CertificateSigningRequest', from: 'certificates.orch.io/v1beta1', to: 'certificates.orch.io/v1' },
  { kind: 'Lease', from: 'coordination.orch.io/v1beta1', to: 'coordination.orch.io/v1' },
  ...['extensions/v1beta1', 'networking.orch.io/v1beta1'].map((from) => ({
    ...{ kind: 'Ingress', from, to: 'networking.orch.io/v1' },
    object: {
      spec: {
        backend: { serviceName: 'web', servicePort: 80 },
        rules: [{ http: { paths: [{ path: '/', backend: { serviceName: 'web', servicePort: 'http' } }] } }],
      },
    },
    want: {
      spec: {
        defaultBackend: { service: { name: 'web', port: { number: 80 } } },
        rules: [
          {
            http: {
              paths: [
                {
                  ...{ path: '/', pathType: 'ImplementationSpecific' },
                  backend: { service: { name: 'web', port: { name: 'http' } } },
                },
              ],
            },
          },
        ],
      },
    },
  })),
  { kind: 'IngressClass', from: 'networking.orch.io/v1beta1', to: 'networking.orch.io/v1' },
  ...['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'].map((kind) => ({
    ...{ kind, from: 'rbac.authorization.orch.io/v1beta1', to: 'rbac.authorization.orch.io/v1' },
  })),
  { kind: 'PriorityClass', from: 'scheduling.orch.io/v1beta1', to: 'scheduling.orch.io/v1' },
  ...['CSIDriver', 'CSINode', 'StorageClass', 'VolumeAttachment'].map((kind) => ({
    ...{ kind, from: 'storage.orch.io/v1beta1', to: 'storage.orch.io/v1' },
  })),
  // 1.16
  { kind: 'NetworkPolicy', from: 'extensions/v1beta1', to: 'networking.orch.io/v1' },
  {
    kind: 'DaemonSet',
    from: 'extensions/v1beta1',
    to: 'apps/v1',
    object: { spec: { template, templateGeneration: 4 } },
    want: { spec: { selector, updateStrategy: { type: 'OnDelete' } } },
  },
  {
    kind: 'DaemonSet',
    from: 'apps/v1beta2',
    to: 'apps/v1',
    object: { spec: { selector, template } },
    want: { spec: { updateStrategy: { type: 'RollingUpdate' } } },
  },
  {
    kind: 'Deployment',
    from: 'extensions/v1beta1',
    to: 'apps/v1',
    object: { spec: { template, rollbackTo: { revision: 2 } } },
    want: { spec: { selector, strategy: rollingUpdate(1) } },
  },
  {
    kind: 'Deployment',
    from: 'apps/v1beta1',
    to: 'apps/v1',
    object: { spec: { template } },
    want: {
      spec: {
        selector,
        strategy: rollingUpdate('25%'),
        progressDeadlineSeconds: 600,
        revisionHistoryLimit: 2,
      },
    },
  },
  {
    kind: 'Deployment',
    from: 'apps/v1beta2',
    to: 'apps/v1',
    object: { spec: { selector, template } },
    want: {
      spec: { strategy: rollingUpdate('25%'), progressDeadlineSeconds: 600, revisionHistoryLimit: 10 },
    },
  },
  {
    kind: 'StatefulSet',
    from: 'apps/v1beta1',
    to: 'apps/v1',
    object: { spec: { serviceName: 's', template } },
    want: { spec: { selector, updateStrategy: { type: 'OnDelete' } } },
  },
  {
    kind: 'StatefulSet',
    from: 'apps/v1beta2',
    to: 'apps/v1',
    object: { spec: { serviceName: 's', selector, template } },
    want: { spec: { selector, updateStrategy: { type: 'RollingUpdate' } } },
  },
  {
    kind: 'ReplicaSet',
    from: 'extensions/v1beta1',
    to: 'apps/v1',
    object: { spec: { template } },
    want: { spec: { selector, replicas: 1 } },
  },
  { kind: 'ReplicaSet', from: 'apps/v1beta2', to: 'apps/v1', object: { spec: { selector, template } } },
  { kind: 'PodSecurityPolicy', from: 'extensions/v1beta1', to: 'policy/v1beta1' },
];

test.each(rows)(
  '$kind of $from is found in $to, asked for or not',
  ({ kind, from, object, want, ...row }) => {
    const sent = { kind, apiVersion: from, metadata, ...object };
    const before = JSON.stringify(sent);
    for (const target of [row.to, '']) {
      expect(to(sent, target)).toMatchObject({ kind, apiVersion: row.to, metadata, ...want });
    }
    expect(JSON.stringify(sent)).toBe(before);
    expect(to(to(sent, row.to), from)).toMatchObject({ kind, apiVersion: from, metadata });
  },
);

test('a version back in time', () => {
  const spec = { selector, template };
  expect(
    to({ kind: 'Deployment', apiVersion: 'apps/v1', metadata, spec }, 'extensions/v1beta1'),
  ).toMatchObject({
    apiVersion: 'extensions/v1beta1',
    spec: { selector, strategy: rollingUpdate('25%') },
  });
});

test('lists stay lists, of one kind or of many', () => {
  const item = { metadata, spec: { template } };
  const typed = { kind: 'DeploymentList', apiVersion: 'extensions/v1beta1', metadata: {}, items: [item] };
  expect(converter.convert(typed, 'apps/v1')).toMatchObject({
    object: {
      ...{ kind: 'DeploymentList', apiVersion: 'apps/v1', metadata: {} },
      items: [{ kind: 'Deployment', apiVersion: 'apps/v1', spec: { selector } }],
    },
    converted: 1,
    notes: [],
  });
  const service = { kind: 'Service', apiVersion: 'v1', metadata };
  const items = [{ ...item, kind: 'Deployment', apiVersion: 'extensions/v1beta1' }, service];
  const mixed = {
    kind: 'List',
    apiVersion: 'v1',
    items: [...items, { kind: 'List', apiVersion: 'v1', items }],
  };
  const { object, converted, notes } = converter.convert(mixed, 'apps/v1');
  const want = [{ kind: 'Deployment', apiVersion: 'apps/v1' }, service];
  expect(object).toMatchObject({ kind: 'List', items: [...want, { kind: 'List', items: want }] });
  expect(converted).toBe(2);
  expect(notes).toEqual(Array(2).fill('v1 Service "x" does not exist in apps/v1 and is unchanged'));
});

test('unknown objects are unchanged; unknown fields are reported', () => {
  const custom = { kind: 'Thing', apiVersion: 'example.com/v1', metadata, spec: { a: 1 } };
  expect(converter.convert(custom, '')).toEqual({
    ...{ object: custom, converted: 0 },
    notes: ['example.com/v1 Thing "x" does not exist in the catalogue and is unchanged'],
  });
  const typo = { kind: 'Service', apiVersion: 'v1', metadata, spec: { typo: 1, __proto__: { a: 1 } } };
  expect(converter.convert(typo, '').notes).toEqual(['v1 Service "x" has no field spec.typo; it is dropped']);
});

test('what an object’s own version does not allow is refused', () => {
  const wrong = { kind: 'Deployment', apiVersion: 'apps/v1beta1', metadata, spec: { replicas: 'many' } };
  expect(() => to(wrong)).toThrow('apps/v1beta1 Deployment "x": spec.replicas: expected integer');
  expect(() => to({ kind: 'List', apiVersion: 'v1', items: [7] })).toThrow('not an object');
});
