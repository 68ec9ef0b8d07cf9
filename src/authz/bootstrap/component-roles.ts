/** Roles for the parts of a cluster: nodes, schedulers, approvers of certificates. */
import { events, named, rule, type ClusterRoleSource } from './types.ts';

export const componentRoles: readonly ClusterRoleSource[] = [
  {
    name: 'system:certificates.{api}:certificatesigningrequests:nodeclient',
    rules: [rule('create', 'certificates.{api}', 'certificatesigningrequests/nodeclient')],
  },
  {
    name: 'system:certificates.{api}:certificatesigningrequests:selfnodeclient',
    rules: [rule('create', 'certificates.{api}', 'certificatesigningrequests/selfnodeclient')],
  },
  {
    name: 'system:certificates.{api}:kube-apiserver-client-approver',
    rules: [named('approve', 'certificates.{api}', 'signers', '{label}/kube-apiserver-client')],
  },
  {
    name: 'system:certificates.{api}:kube-apiserver-client-kubelet-approver',
    rules: [named('approve', 'certificates.{api}', 'signers', '{label}/kube-apiserver-client-kubelet')],
  },
  {
    name: 'system:certificates.{api}:kubelet-serving-approver',
    rules: [named('approve', 'certificates.{api}', 'signers', '{label}/kubelet-serving')],
  },
  {
    name: 'system:certificates.{api}:legacy-unknown-approver',
    rules: [named('approve', 'certificates.{api}', 'signers', '{label}/legacy-unknown')],
  },
  {
    name: 'system:heapster',
    rules: [
      rule('get list watch', 'core', 'events namespaces nodes pods'),
      rule('get list watch', 'extensions', 'deployments'),
    ],
  },
  {
    name: 'system:kube-aggregator',
    rules: [rule('get list watch', 'core', 'endpoints services')],
  },
  {
    name: 'system:kube-controller-manager',
    rules: [
      events,
      rule('create', 'coordination.{api}', 'leases'),
      named('get update', 'coordination.{api}', 'leases', 'kube-controller-manager'),
      rule('create', 'core', 'endpoints'),
      named('get update', 'core', 'endpoints', 'kube-controller-manager'),
      rule('create', 'core', 'secrets serviceaccounts'),
      rule('delete', 'core', 'secrets'),
      rule('get', 'core', 'configmaps namespaces secrets serviceaccounts'),
      rule('update', 'core', 'secrets serviceaccounts'),
      rule('create', 'authentication.{api}', 'tokenreviews'),
      rule('create', 'authorization.{api}', 'subjectaccessreviews'),
      rule('list watch', '*', '*'),
      rule('create', 'core', 'serviceaccounts/token'),
    ],
  },
  {
    name: 'system:kube-dns',
    rules: [rule('list watch', 'core', 'endpoints services')],
  },
  {
    name: 'system:kube-scheduler',
    rules: [
      events,
      rule('create', 'coordination.{api}', 'leases'),
      named('get update', 'coordination.{api}', 'leases', 'kube-scheduler'),
      rule('create', 'core', 'endpoints'),
      named('get update', 'core', 'endpoints', 'kube-scheduler'),
      rule('get list watch', 'core', 'nodes'),
      rule('delete get list watch', 'core', 'pods'),
      rule('create', 'core', 'bindings pods/binding'),
      rule('patch update', 'core', 'pods/status'),
      rule('get list watch', 'core', 'replicationcontrollers services'),
      rule('get list watch', 'apps extensions', 'replicasets'),
      rule('get list watch', 'apps', 'statefulsets'),
      rule('get list watch', 'policy', 'poddisruptionbudgets'),
      rule('get list watch', 'core', 'persistentvolumeclaims persistentvolumes'),
      rule('create', 'authentication.{api}', 'tokenreviews'),
      rule('create', 'authorization.{api}', 'subjectaccessreviews'),
      rule('get list watch', 'storage.{api}', 'csinodes'),
      rule('get list watch', 'storage.{api}', 'csidrivers'),
      rule('get list watch', 'storage.{api}', 'csistoragecapacities'),
    ],
  },
  {
    name: 'system:kubelet-api-admin',
    rules: [
      rule('get list watch', 'core', 'nodes'),
      rule('proxy', 'core', 'nodes'),
      rule('*', 'core', 'nodes/log nodes/metrics nodes/proxy nodes/spec nodes/stats'),
    ],
  },
  {
    name: 'system:node',
    rules: [
      rule('create', 'authentication.{api}', 'tokenreviews'),
      rule('create', 'authorization.{api}', 'localsubjectaccessreviews subjectaccessreviews'),
      rule('get list watch', 'core', 'services'),
      rule('create get list watch', 'core', 'nodes'),
      rule('patch update', 'core', 'nodes/status'),
      rule('patch update', 'core', 'nodes'),
      rule('create patch update', 'core', 'events'),
      rule('get list watch', 'core', 'pods'),
      rule('create delete', 'core', 'pods'),
      rule('patch update', 'core', 'pods/status'),
      rule('create', 'core', 'pods/eviction'),
      rule('get list watch', 'core', 'configmaps secrets'),
      rule('get', 'core', 'persistentvolumeclaims persistentvolumes'),
      rule('get', 'core', 'endpoints'),
      rule('create get list watch', 'certificates.{api}', 'certificatesigningrequests'),
      rule('create delete get patch update', 'coordination.{api}', 'leases'),
      rule('get', 'storage.{api}', 'volumeattachments'),
      rule('create', 'core', 'serviceaccounts/token'),
      rule('get patch update', 'core', 'persistentvolumeclaims/status'),
      rule('get list watch', 'storage.{api}', 'csidrivers'),
      rule('create delete get patch update', 'storage.{api}', 'csinodes'),
      rule('get list watch', 'node.{api}', 'runtimeclasses'),
    ],
  },
  {
    name: 'system:node-bootstrapper',
    rules: [rule('create get list watch', 'certificates.{api}', 'certificatesigningrequests')],
  },
  {
    name: 'system:node-problem-detector',
    rules: [rule('get', 'core', 'nodes'), rule('patch', 'core', 'nodes/status'), events],
  },
  {
    name: 'system:node-proxier',
    rules: [
      rule('list watch', 'core', 'endpoints services'),
      rule('get list watch', 'core', 'nodes'),
      events,
      rule('list watch', 'discovery.{api}', 'endpointslices'),
    ],
  },
  {
    name: 'system:persistent-volume-provisioner',
    rules: [
      rule('create delete get list watch', 'core', 'persistentvolumes'),
      rule('get list update watch', 'core', 'persistentvolumeclaims'),
      rule('get list watch', 'storage.{api}', 'storageclasses'),
      rule('watch', 'core', 'events'),
      events,
    ],
  },
  {
    name: 'system:volume-scheduler',
    rules: [
      rule('get list patch update watch', 'core', 'persistentvolumes'),
      rule('get list watch', 'storage.{api}', 'storageclasses'),
      rule('get list patch update watch', 'core', 'persistentvolumeclaims'),
    ],
  },
];
