/** A role for each controller; each is given to the service account that is named like it. */
import { events, named, rule, type ClusterRoleSource } from './types.ts';

export const controllerRoles: readonly ClusterRoleSource[] = [
  {
    name: 'system:controller:attachdetach-controller',
    rules: [
      rule('list watch', 'core', 'persistentvolumeclaims persistentvolumes'),
      rule('get list watch', 'core', 'nodes'),
      rule('patch update', 'core', 'nodes/status'),
      rule('list watch', 'core', 'pods'),
      events,
      rule('create delete get list watch', 'storage.{api}', 'volumeattachments'),
      rule('get list watch', 'storage.{api}', 'csidrivers'),
      rule('get list watch', 'storage.{api}', 'csinodes'),
    ],
  },
  {
    name: 'system:controller:certificate-controller',
    rules: [
      rule('delete get list watch', 'certificates.{api}', 'certificatesigningrequests'),
      rule(
        'update',
        'certificates.{api}',
        'certificatesigningrequests/approval certificatesigningrequests/status',
      ),
      named('approve', 'certificates.{api}', 'signers', '{label}/kube-apiserver-client-kubelet'),
      named(
        'sign',
        'certificates.{api}',
        'signers',
        '{label}/kube-apiserver-client {label}/kube-apiserver-client-kubelet {label}/kubelet-serving {label}/legacy-unknown',
      ),
      rule('create', 'authorization.{api}', 'subjectaccessreviews'),
      events,
    ],
  },
  {
    name: 'system:controller:clusterrole-aggregation-controller',
    rules: [rule('escalate get list patch update watch', 'rbac.authorization.{api}', 'clusterroles')],
  },
  {
    name: 'system:controller:cronjob-controller',
    rules: [
      rule('get list update watch', 'batch', 'cronjobs'),
      rule('create delete get list patch update watch', 'batch', 'jobs'),
      rule('update', 'batch', 'cronjobs/status'),
      rule('update', 'batch', 'cronjobs/finalizers'),
      rule('delete list', 'core', 'pods'),
      events,
    ],
  },
  {
    name: 'system:controller:daemon-set-controller',
    rules: [
      rule('get list watch', 'apps extensions', 'daemonsets'),
      rule('update', 'apps extensions', 'daemonsets/status'),
      rule('update', 'apps extensions', 'daemonsets/finalizers'),
      rule('list watch', 'core', 'nodes'),
      rule('create delete list patch watch', 'core', 'pods'),
      rule('create', 'core', 'pods/binding'),
      rule('create delete get list patch update watch', 'apps', 'controllerrevisions'),
      events,
    ],
  },
  {
    name: 'system:controller:deployment-controller',
    rules: [
      rule('get list update watch', 'apps extensions', 'deployments'),
      rule('update', 'apps extensions', 'deployments/status'),
      rule('update', 'apps extensions', 'deployments/finalizers'),
      rule('create delete get list patch update watch', 'apps extensions', 'replicasets'),
      rule('get list update watch', 'core', 'pods'),
      events,
    ],
  },
  {
    name: 'system:controller:disruption-controller',
    rules: [
      rule('get list watch', 'apps extensions', 'deployments'),
      rule('get list watch', 'apps extensions', 'replicasets'),
      rule('get list watch', 'core', 'replicationcontrollers'),
      rule('get list watch', 'policy', 'poddisruptionbudgets'),
      rule('get list watch', 'apps', 'statefulsets'),
      rule('update', 'policy', 'poddisruptionbudgets/status'),
      rule('get', '*', '*/scale'),
      events,
    ],
  },
  {
    name: 'system:controller:endpoint-controller',
    rules: [
      rule('get list watch', 'core', 'pods services'),
      rule('create delete get list update', 'core', 'endpoints'),
      rule('create', 'core', 'endpoints/restricted'),
      events,
    ],
  },
  {
    name: 'system:controller:endpointslice-controller',
    rules: [
      rule('get list watch', 'core', 'nodes pods services'),
      rule('update', 'core', 'services/finalizers'),
      rule('create delete get list update', 'discovery.{api}', 'endpointslices'),
      events,
    ],
  },
  {
    name: 'system:controller:endpointslicemirroring-controller',
    rules: [
      rule('get list watch', 'core', 'endpoints services'),
      rule('update', 'core', 'services/finalizers'),
      rule('update', 'core', 'endpoints/finalizers'),
      rule('create delete get list update', 'discovery.{api}', 'endpointslices'),
      events,
    ],
  },
  {
    name: 'system:controller:ephemeral-volume-controller',
    rules: [
      rule('get list watch', 'core', 'pods'),
      rule('update', 'core', 'pods/finalizers'),
      rule('create get list watch', 'core', 'persistentvolumeclaims'),
      events,
    ],
  },
  {
    name: 'system:controller:expand-controller',
    rules: [
      rule('get list patch update watch', 'core', 'persistentvolumes'),
      rule('patch update', 'core', 'persistentvolumeclaims/status'),
      rule('get list watch', 'core', 'persistentvolumeclaims'),
      rule('get list watch', 'storage.{api}', 'storageclasses'),
      rule('get', 'core', 'endpoints services'),
      rule('get', 'core', 'secrets'),
      events,
    ],
  },
  {
    name: 'system:controller:generic-garbage-collector',
    rules: [rule('delete get list patch update watch', '*', '*'), events],
  },
  {
    name: 'system:controller:horizontal-pod-autoscaler',
    rules: [
      rule('get list watch', 'autoscaling', 'horizontalpodautoscalers'),
      rule('update', 'autoscaling', 'horizontalpodautoscalers/status'),
      rule('get update', '*', '*/scale'),
      rule('list', 'core', 'pods'),
      named('get', 'core', 'services/proxy', 'http:heapster: https:heapster:'),
      rule('list', 'metrics.{api}', 'pods'),
      rule('get list', 'custom.metrics.{api}', '*'),
      events,
    ],
  },
  {
    name: 'system:controller:job-controller',
    rules: [
      rule('get list update watch', 'batch', 'jobs'),
      rule('update', 'batch', 'jobs/status'),
      rule('update', 'batch', 'jobs/finalizers'),
      rule('create delete list patch watch', 'core', 'pods'),
      events,
    ],
  },
  {
    name: 'system:controller:namespace-controller',
    rules: [
      rule('delete get list watch', 'core', 'namespaces'),
      rule('update', 'core', 'namespaces/finalize namespaces/status'),
      rule('delete deletecollection get list', '*', '*'),
    ],
  },
  {
    name: 'system:controller:node-controller',
    rules: [
      rule('delete get list patch update', 'core', 'nodes'),
      rule('patch update', 'core', 'nodes/status'),
      rule('update', 'core', 'pods/status'),
      rule('delete list', 'core', 'pods'),
      events,
    ],
  },
  {
    name: 'system:controller:persistent-volume-binder',
    rules: [
      rule('create delete get list update watch', 'core', 'persistentvolumes'),
      rule('update', 'core', 'persistentvolumes/status'),
      rule('get list update watch', 'core', 'persistentvolumeclaims'),
      rule('update', 'core', 'persistentvolumeclaims/status'),
      rule('create delete get list watch', 'core', 'pods'),
      rule('get list watch', 'storage.{api}', 'storageclasses'),
      rule('create delete get update', 'core', 'endpoints'),
      rule('create delete get', 'core', 'services'),
      rule('get', 'core', 'secrets'),
      rule('get list', 'core', 'nodes'),
      rule('watch', 'core', 'events'),
      events,
    ],
  },
  {
    name: 'system:controller:pod-garbage-collector',
    rules: [rule('delete list watch', 'core', 'pods'), rule('get list', 'core', 'nodes')],
  },
  {
    name: 'system:controller:pv-protection-controller',
    rules: [rule('get list update watch', 'core', 'persistentvolumes'), events],
  },
  {
    name: 'system:controller:pvc-protection-controller',
    rules: [
      rule('get list update watch', 'core', 'persistentvolumeclaims'),
      rule('get list watch', 'core', 'pods'),
      events,
    ],
  },
  {
    name: 'system:controller:replicaset-controller',
    rules: [
      rule('get list update watch', 'apps extensions', 'replicasets'),
      rule('update', 'apps extensions', 'replicasets/status'),
      rule('update', 'apps extensions', 'replicasets/finalizers'),
      rule('create delete list patch watch', 'core', 'pods'),
      events,
    ],
  },
  {
    name: 'system:controller:replication-controller',
    rules: [
      rule('get list update watch', 'core', 'replicationcontrollers'),
      rule('update', 'core', 'replicationcontrollers/status'),
      rule('update', 'core', 'replicationcontrollers/finalizers'),
      rule('create delete list patch watch', 'core', 'pods'),
      events,
    ],
  },
  {
    name: 'system:controller:resourcequota-controller',
    rules: [rule('list watch', '*', '*'), rule('update', 'core', 'resourcequotas/status'), events],
  },
  {
    name: 'system:controller:root-ca-cert-publisher',
    rules: [rule('create update', 'core', 'configmaps'), events],
  },
  {
    name: 'system:controller:route-controller',
    rules: [rule('list watch', 'core', 'nodes'), rule('patch', 'core', 'nodes/status'), events],
  },
  {
    name: 'system:controller:service-account-controller',
    rules: [rule('create', 'core', 'serviceaccounts'), events],
  },
  {
    name: 'system:controller:service-controller',
    rules: [
      rule('get list watch', 'core', 'services'),
      rule('patch update', 'core', 'services/status'),
      rule('list watch', 'core', 'nodes'),
      events,
    ],
  },
  {
    name: 'system:controller:statefulset-controller',
    rules: [
      rule('list watch', 'core', 'pods'),
      rule('get list watch', 'apps', 'statefulsets'),
      rule('update', 'apps', 'statefulsets/status'),
      rule('update', 'apps', 'statefulsets/finalizers'),
      rule('create delete get patch update', 'core', 'pods'),
      rule('create delete get list patch update watch', 'apps', 'controllerrevisions'),
      rule('create get', 'core', 'persistentvolumeclaims'),
      events,
    ],
  },
  {
    name: 'system:controller:ttl-after-finished-controller',
    rules: [rule('delete get list watch', 'batch', 'jobs'), events],
  },
  {
    name: 'system:controller:ttl-controller',
    rules: [rule('list patch update watch', 'core', 'nodes'), events],
  },
];
