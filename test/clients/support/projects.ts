/** Known projects: where their definitions are published, and an object of one of their kinds. */
import type { JsonObject } from '../../../src/base/json.ts';

export interface Project {
  /** `path@version` of its Go module. */
  readonly module: string;
  /** Files and folders with its definitions. */
  readonly paths: readonly string[];
  /** `group/version/plural`. */
  readonly resource: string;
  readonly kind: string;
  /** The whole object except its names. */
  readonly object: JsonObject;
  /** A merge patch that is taken. */
  readonly change: JsonObject;
  /** A merge patch that is refused. */
  readonly refused: JsonObject;
  /** What the refusal says. */
  readonly reason: RegExp;
  readonly clusterScoped?: true;
}

const container = { name: 'main', image: 'example/app:1' };
const labels = { app: 'shop' };
const typed = /must be of type/;

/** By what they are for. */
export const projects: Readonly<Record<string, Project>> = {
  'certificates: cert-manager': {
    module: 'github.com/cert-manager/cert-manager@v1.21.2',
    paths: ['deploy/crds'],
    resource: 'cert-manager.io/v1/certificates',
    kind: 'Certificate',
    object: { spec: { secretName: 'tls', issuerRef: { name: 'ca' }, dnsNames: ['shop.example'] } },
    change: { spec: { duration: '24h' } },
    refused: { spec: { privateKey: { algorithm: 'DES' } } },
    reason: /algorithm: Unsupported value: "DES"/,
  },
  'gateways: Gateway API': {
    module: 'sigs.k8s.io/gateway-api@v1.6.3',
    paths: ['config/crd/standard'],
    resource: 'gateway.networking.k8s.io/v1/httproutes',
    kind: 'HTTPRoute',
    object: {
      spec: { parentRefs: [{ name: 'edge' }], rules: [{ backendRefs: [{ name: 'shop', port: 80 }] }] },
    },
    change: { spec: { hostnames: ['shop.example'] } },
    refused: { spec: { rules: [{ matches: [{ path: { type: 'Exact', value: 'relative' } }] }] } },
    reason: /value must be an absolute path/,
  },
  'gateways: Envoy Gateway': {
    module: 'github.com/envoyproxy/gateway@v1.9.1',
    paths: ['charts/gateway-helm/charts/crds/crds/generated'],
    resource: 'gateway.envoyproxy.io/v1alpha1/backends',
    kind: 'Backend',
    object: { spec: { endpoints: [{ fqdn: { hostname: 'shop.example', port: 80 } }] } },
    change: { spec: { endpoints: [{ ip: { address: '10.0.0.1', port: 80 } }] } },
    refused: {
      spec: {
        endpoints: [{ fqdn: { hostname: 'shop.example', port: 80 }, ip: { address: '10.0.0.1', port: 80 } }],
      },
    },
    reason: /one of fqdn, ip/,
  },
  'gateways: Contour': {
    module: 'github.com/projectcontour/contour@v1.33.8',
    paths: ['examples/contour'],
    resource: 'projectcontour.io/v1/httpproxies',
    kind: 'HTTPProxy',
    object: {
      spec: { virtualhost: { fqdn: 'shop.example' }, routes: [{ services: [{ name: 'shop', port: 80 }] }] },
    },
    change: { spec: { ingressClassName: 'edge' } },
    refused: { spec: { routes: [{ services: [{ name: 'shop', port: 99_999 }] }] } },
    reason: /port in body should be less than/,
  },
  'meshes: Istio': {
    module: 'istio.io/api@v1.31.4',
    paths: ['kubernetes/customresourcedefinitions.gen.yaml'],
    resource: 'networking.istio.io/v1/serviceentries',
    kind: 'ServiceEntry',
    object: {
      spec: {
        hosts: ['shop.example'],
        ports: [{ number: 443, name: 'https', protocol: 'TLS' }],
        resolution: 'DNS',
      },
    },
    change: { spec: { location: 'MESH_EXTERNAL' } },
    refused: { spec: { addresses: ['10.0.0.0/8'] } },
    reason: /CIDR addresses are allowed only for NONE\/STATIC/,
  },
  'GitOps: Flux': {
    module: 'github.com/fluxcd/source-controller@v1.7.0',
    paths: ['config/crd/bases'],
    resource: 'source.toolkit.fluxcd.io/v1/gitrepositories',
    kind: 'GitRepository',
    object: { spec: { url: 'https://git.example/shop', interval: '1m' } },
    change: { spec: { ref: { branch: 'main' } } },
    refused: { spec: { url: 'ftp://git.example/shop' } },
    reason: /url in body should match/,
  },
  'workflow: Argo Rollouts': {
    module: 'github.com/argoproj/argo-rollouts@v1.8.3',
    paths: ['manifests/crds'],
    resource: 'argoproj.io/v1alpha1/rollouts',
    kind: 'Rollout',
    object: {
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [container] } },
        strategy: { canary: { steps: [{ setWeight: 20 }, { pause: {} }] } },
      },
    },
    change: { spec: { replicas: 3 } },
    refused: { spec: { replicas: 'many' } },
    reason: typed,
  },
  'workflow: Kueue': {
    module: 'sigs.k8s.io/kueue@v0.17.0',
    paths: ['config/components/crd/bases'],
    resource: 'kueue.x-k8s.io/v1beta2/localqueues',
    kind: 'LocalQueue',
    object: { spec: { clusterQueue: 'all' } },
    change: { spec: { stopPolicy: 'Hold' } },
    refused: { spec: { clusterQueue: 'other' } },
    reason: /clusterQueue: Invalid value: .*immutable/,
  },
  'workflow: KubeRay': {
    module: 'github.com/ray-project/kuberay/ray-operator@v1.5.0',
    paths: ['config/crd/bases'],
    resource: 'ray.io/v1/rayclusters',
    kind: 'RayCluster',
    object: {
      spec: { headGroupSpec: { rayStartParams: {}, template: { spec: { containers: [container] } } } },
    },
    change: { spec: { rayVersion: '2.50.0' } },
    refused: { spec: { workerGroupSpecs: [{ groupName: 'small' }] } },
    reason: /workerGroupSpecs\[0\]\.template: Required value/,
  },
  'monitoring: Prometheus Operator': {
    module: 'github.com/prometheus-operator/prometheus-operator@v0.85.0',
    paths: ['example/prometheus-operator-crd'],
    resource: 'monitoring.coreos.com/v1/prometheusrules',
    kind: 'PrometheusRule',
    object: { spec: { groups: [{ name: 'up', rules: [{ alert: 'Down', expr: 'up == 0', for: '5m' }] }] } },
    change: { spec: { groups: [{ name: 'up', rules: [{ alert: 'Down', expr: 1 }] }] } },
    refused: { spec: { groups: [{ name: 'up', rules: [{ alert: 'Down', expr: 'up', for: 'long' }] }] } },
    reason: /for in body should match/,
  },
  'databases: snapshots of volumes': {
    module: 'github.com/kubernetes-csi/external-snapshotter/client/v8@v8.7.0',
    paths: ['config/crd'],
    resource: 'snapshot.storage.k8s.io/v1/volumesnapshots',
    kind: 'VolumeSnapshot',
    object: { spec: { source: { persistentVolumeClaimName: 'data' } } },
    change: { spec: { volumeSnapshotClassName: 'fast' } },
    refused: { spec: { source: { persistentVolumeClaimName: 'other' } } },
    reason: /persistentVolumeClaimName is immutable/,
  },
  'databases: Velero': {
    module: 'github.com/vmware-tanzu/velero@v1.18.3',
    paths: ['config/crd/v1/bases'],
    resource: 'velero.io/v1/backups',
    kind: 'Backup',
    object: { spec: { includedNamespaces: ['shop'] } },
    change: { spec: { ttl: '24h' } },
    refused: { spec: { ttl: 24 } },
    reason: typed,
  },
  'policy: Gatekeeper': {
    module: 'github.com/open-policy-agent/gatekeeper/v3@v3.23.1',
    paths: ['charts/gatekeeper/crds'],
    resource: 'templates.gatekeeper.sh/v1/constrainttemplates',
    kind: 'ConstraintTemplate',
    clusterScoped: true,
    object: {
      spec: { crd: { spec: { names: { kind: 'NeedsOwner' } } }, targets: [{ target: 'admission' }] },
    },
    change: { spec: { targets: [{ target: 'admission', rego: 'package needsowner' }] } },
    refused: { spec: { targets: 'admission' } },
    reason: typed,
  },
  'policy: Kyverno': {
    module: 'github.com/kyverno/kyverno@v1.19.1',
    paths: ['config/crds/kyverno', 'config/crds/policies.kyverno.io'],
    resource: 'policies.kyverno.io/v1/validatingpolicies',
    kind: 'ValidatingPolicy',
    clusterScoped: true,
    object: { spec: { validations: [{ expression: 'has(object.metadata.labels)' }] } },
    change: {
      spec: { validations: [{ expression: 'has(object.metadata.labels)', message: 'needs labels' }] },
    },
    refused: { spec: { failurePolicy: 'Perhaps' } },
    reason: /failurePolicy: Unsupported value: "Perhaps"/,
  },
  'policy: network policies of clusters': {
    module: 'sigs.k8s.io/network-policy-api@v0.1.1',
    paths: ['config/crd'],
    resource: 'policy.networking.k8s.io/v1alpha1/adminnetworkpolicies',
    kind: 'AdminNetworkPolicy',
    clusterScoped: true,
    object: { spec: { priority: 10, subject: { namespaces: {} } } },
    change: { spec: { priority: 20 } },
    refused: { spec: { priority: 2_000 } },
    reason: /priority in body should be less than or equal to 1000/,
  },
  'secrets: External Secrets': {
    module: 'github.com/external-secrets/external-secrets@v1.3.2',
    paths: ['config/crds/bases'],
    resource: 'external-secrets.io/v1/externalsecrets',
    kind: 'ExternalSecret',
    object: {
      spec: { secretStoreRef: { name: 'vault' }, data: [{ secretKey: 'a', remoteRef: { key: 'shop/a' } }] },
    },
    change: { spec: { refreshInterval: '5m' } },
    refused: { spec: { refreshPolicy: 'Sometimes' } },
    reason: /refreshPolicy: Unsupported value: "Sometimes"/,
  },
  'secrets: Sealed Secrets': {
    module: 'github.com/bitnami-labs/sealed-secrets@v0.40.0',
    paths: ['helm/sealed-secrets/crds'],
    resource: 'bitnami.com/v1alpha1/sealedsecrets',
    kind: 'SealedSecret',
    object: { spec: { encryptedData: { password: 'AgBy3i' } } },
    change: { spec: { encryptedData: { password: 'AgC8f0' } } },
    refused: { spec: { template: 'none' } },
    reason: typed,
  },
  'serverless: Knative Serving': {
    module: 'knative.dev/serving@v0.51.0',
    paths: ['config/core/300-resources'],
    resource: 'serving.knative.dev/v1/services',
    kind: 'Service',
    object: { spec: { template: { spec: { containers: [{ image: 'example/app:1' }] } } } },
    change: { spec: { template: { spec: { timeoutSeconds: 30 } } } },
    refused: { spec: { template: { spec: { timeoutSeconds: 'long' } } } },
    reason: typed,
  },
  'serverless: KEDA': {
    module: 'github.com/kedacore/keda/v2@v2.21.0',
    paths: ['config/crd/bases'],
    resource: 'keda.sh/v1alpha1/scaledobjects',
    kind: 'ScaledObject',
    object: {
      spec: { scaleTargetRef: { name: 'shop' }, triggers: [{ type: 'cpu', metadata: { value: '60' } }] },
    },
    change: { spec: { minReplicaCount: 0 } },
    refused: { spec: { triggers: null } },
    reason: /spec\.triggers: Required value/,
  },
  'clusters: Karpenter': {
    module: 'sigs.k8s.io/karpenter@v1.8.0',
    paths: ['pkg/apis/crds'],
    resource: 'karpenter.sh/v1/nodepools',
    kind: 'NodePool',
    clusterScoped: true,
    object: {
      spec: {
        template: {
          spec: {
            nodeClassRef: { group: 'nodes.example', kind: 'Class', name: 'small' },
            requirements: [{ key: 'kubernetes.io/os', operator: 'In', values: ['linux'] }],
          },
        },
      },
    },
    change: { spec: { limits: { cpu: '100' } } },
    refused: {
      spec: { template: { spec: { requirements: [{ key: 'kubernetes.io/os', operator: 'In' }] } } },
    },
    reason: /requirements with operator 'In' must have a value defined/,
  },
  'clusters: Cluster API': {
    module: 'sigs.k8s.io/cluster-api@v1.14.2',
    paths: [
      'core/config/crd/bases',
      'bootstrap/kubeadm/config/crd/bases',
      'controlplane/kubeadm/config/crd/bases',
    ],
    resource: 'cluster.x-k8s.io/v1beta2/machinedrainrules',
    kind: 'MachineDrainRule',
    object: { spec: { drain: { behavior: 'Skip' } } },
    change: { spec: { machines: [{ selector: { matchLabels: labels } }] } },
    refused: {
      spec: { machines: [{ selector: { matchLabels: labels } }, { selector: { matchLabels: labels } }] },
    },
    reason: /entries in machines must be unique/,
  },
};

/** Projects whose definitions have no validation rules. */
export const projectsWithoutRules: readonly string[] = [
  'workflow: Argo Rollouts',
  'databases: Velero',
  'policy: Gatekeeper',
  'secrets: Sealed Secrets',
  'serverless: Knative Serving',
];
