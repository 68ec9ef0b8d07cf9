/** An object of every kind that is stored, as small as its rules allow, in the version that is stored. */
import 'reflect-metadata';
import { Pkcs10CertificateRequestGenerator } from '@peculiar/x509';
import type { JsonObject } from '../../src/base/json.ts';

const labels = { app: 'web' };
const selector = { matchLabels: labels };
const podSpec = { containers: [{ name: 'main', image: 'nginx:1', resources: { limits: { cpu: '100m' } } }] };
const template = { metadata: { labels }, spec: podSpec };
const jobTemplate = { spec: { template: { spec: { ...podSpec, restartPolicy: 'Never' } } } };
const url = 'https://example.com/hook';
const webhook = {
  name: 'a.example.com',
  clientConfig: { url },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
};
const roleRef = { apiGroup: 'rbac.authorization.orch.io', kind: 'ClusterRole', name: 'view' };
const subjects = [
  { kind: 'User', name: 'ann', apiGroup: 'rbac.authorization.orch.io' },
  { kind: 'ServiceAccount', name: 'default', namespace: 'default' },
];
const rules = [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }];
const when = '2021-01-01T00:00:00.000000Z';
const schema = { openAPIV3Schema: { type: 'object', 'x-orch-preserve-unknown-fields': true } };

/** `group/plural` → everything but metadata; a name where it is not free. */
type Sample = JsonObject & { readonly name?: string };

const samples: Readonly<Record<string, Sample>> = {
  'core/configmaps': { data: { a: 'b' }, binaryData: { c: 'AAEC' } },
  'core/endpoints': { subsets: [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80 }] }] },
  'core/events': {
    involvedObject: { kind: 'Pod', name: 'web', namespace: 'default' },
    reason: 'Tried',
    type: 'Normal',
  },
  'core/limitranges': { spec: { limits: [{ type: 'Container', max: { cpu: '1' } }] } },
  'core/namespaces': {},
  'core/nodes': { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } },
  'core/persistentvolumeclaims': {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  },
  'core/persistentvolumes': {
    spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/data' } },
  },
  'core/podtemplates': { template },
  'core/pods': { spec: podSpec },
  'core/replicationcontrollers': { spec: { selector: labels, template } },
  'core/resourcequotas': { spec: { hard: { pods: '10' } } },
  'core/secrets': { data: { a: 'YQ==' } },
  'core/serviceaccounts': {},
  'core/services': { spec: { ports: [{ port: 80, targetPort: 'http' }] } },
  'admissionregistration.orch.io/mutatingwebhookconfigurations': { webhooks: [webhook] },
  'admissionregistration.orch.io/validatingwebhookconfigurations': { webhooks: [webhook] },
  'apiextensions.orch.io/customresourcedefinitions': {
    name: 'things.example.com',
    spec: {
      group: 'example.com',
      names: { kind: 'Thing', plural: 'things' },
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  },
  'apiregistration.orch.io/apiservices': {
    name: 'v1.other.example.com',
    spec: { group: 'other.example.com', version: 'v1', groupPriorityMinimum: 1000, versionPriority: 15 },
  },
  'apps/controllerrevisions': { data: { any: ['thing', 1] }, revision: 1 },
  'apps/daemonsets': { spec: { selector, template } },
  'apps/deployments': { spec: { selector, template } },
  'apps/replicasets': { spec: { selector, template } },
  'apps/statefulsets': { spec: { serviceName: 'web', selector, template } },
  'autoscaling/horizontalpodautoscalers': {
    spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
  },
  'batch/cronjobs': { spec: { schedule: '0 3 * * *', jobTemplate } },
  'batch/jobs': jobTemplate,
  'coordination.orch.io/leases': { spec: { holderIdentity: 'me', renewTime: when } },
  'discovery.orch.io/endpointslices': {
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.0.0.1'], nodeName: 'n1', zone: 'z1' }],
    ports: [{ port: 80 }],
  },
  'flowcontrol.apiserver.orch.io/flowschemas': {
    spec: {
      priorityLevelConfiguration: { name: 'mine' },
      rules: [
        {
          subjects: [{ kind: 'User', user: { name: 'ann' } }],
          nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz'] }],
        },
      ],
    },
  },
  'flowcontrol.apiserver.orch.io/prioritylevelconfigurations': {
    spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } },
  },
  'internal.apiserver.orch.io/storageversions': { name: 'example.com.things', spec: {} },
  'networking.orch.io/ingressclasses': { spec: { controller: 'example.com/ingress' } },
  'networking.orch.io/ingresses': {
    spec: {
      defaultBackend: { service: { name: 'web', port: { number: 80 } } },
      rules: [
        {
          http: {
            paths: [
              {
                path: '/',
                pathType: 'Prefix',
                backend: { service: { name: 'web', port: { name: 'http' } } },
              },
            ],
          },
        },
      ],
    },
  },
  'networking.orch.io/networkpolicies': { spec: { podSelector: selector } },
  'node.orch.io/runtimeclasses': { handler: 'runc', overhead: { podFixed: { cpu: '10m' } } },
  'policy/poddisruptionbudgets': { spec: { maxUnavailable: '10%', selector } },
  'policy/podsecuritypolicies': {
    spec: {
      seLinux: { rule: 'RunAsAny' },
      runAsUser: { rule: 'RunAsAny' },
      supplementalGroups: { rule: 'RunAsAny' },
      fsGroup: { rule: 'RunAsAny' },
    },
  },
  'rbac.authorization.orch.io/clusterrolebindings': { roleRef, subjects },
  'rbac.authorization.orch.io/clusterroles': { rules },
  'rbac.authorization.orch.io/rolebindings': { roleRef, subjects },
  'rbac.authorization.orch.io/roles': { rules },
  'scheduling.orch.io/priorityclasses': { value: 7 },
  'storage.orch.io/csidrivers': { spec: {} },
  'storage.orch.io/csinodes': { spec: { drivers: [{ name: 'd.example.com', nodeID: 'n1' }] } },
  'storage.orch.io/csistoragecapacities': { storageClassName: 'fast', capacity: '1Gi' },
  'storage.orch.io/storageclasses': { provisioner: 'example.com/disk' },
  'storage.orch.io/volumeattachments': {
    spec: { attacher: 'a.example.com', nodeName: 'n1', source: { persistentVolumeName: 'v1' } },
  },
};

/** The sample of a collection (`apps/deployments`), with its metadata. */
export async function sampleOf(collection: string): Promise<JsonObject | undefined> {
  if (collection === 'certificates.orch.io/certificatesigningrequests') return signingRequest();
  const sample = samples[collection];
  if (!sample) return undefined;
  const { name = 'every-kind', ...rest } = sample;
  return { metadata: { name, labels }, ...rest };
}

async function signingRequest(): Promise<JsonObject> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const made = await Pkcs10CertificateRequestGenerator.create({
    name: 'CN=ann',
    keys,
    signingAlgorithm: algorithm,
  });
  const request = Buffer.from(made.toString('pem')).toString('base64');
  const spec = { request, signerName: 'example.com/signer', usages: ['client auth'] };
  return { metadata: { name: 'every-kind', labels }, spec };
}
