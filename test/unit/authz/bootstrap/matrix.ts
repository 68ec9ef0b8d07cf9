/** Who may do what at the beginning: each request with the roles that allow it; `c:` stands for `system:controller:`. */
export const whoMay: Readonly<Record<string, string>> = {
  'list pods in web': `
    admin c:attachdetach-controller c:cronjob-controller c:daemon-set-controller c:deployment-controller
    c:endpoint-controller c:endpointslice-controller c:ephemeral-volume-controller
    c:generic-garbage-collector c:horizontal-pod-autoscaler c:job-controller c:namespace-controller
    c:node-controller c:persistent-volume-binder c:pod-garbage-collector c:pvc-protection-controller
    c:replicaset-controller c:replication-controller c:resourcequota-controller c:statefulset-controller
    cluster-admin edit system:aggregate-to-view system:heapster system:kube-controller-manager
    system:kube-scheduler system:node view`,
  'delete pods in web named a': `
    admin c:cronjob-controller c:daemon-set-controller c:generic-garbage-collector c:job-controller
    c:namespace-controller c:node-controller c:persistent-volume-binder c:pod-garbage-collector
    c:replicaset-controller c:replication-controller c:statefulset-controller cluster-admin edit
    system:aggregate-to-edit system:kube-scheduler system:node`,
  'get pods/log in web named a': `
    admin c:generic-garbage-collector c:namespace-controller cluster-admin edit system:aggregate-to-view
    view`,
  'create pods/exec in web named a': 'admin cluster-admin edit system:aggregate-to-edit',
  'create pods/binding in web named a': 'c:daemon-set-controller cluster-admin system:kube-scheduler',
  'update pods/status in web named a':
    'c:generic-garbage-collector c:node-controller cluster-admin system:kube-scheduler system:node',
  'watch secrets in web': `
    admin c:generic-garbage-collector c:resourcequota-controller cluster-admin edit
    orch-system/c:bootstrap-signer orch-system/c:token-cleaner system:aggregate-to-edit
    system:kube-controller-manager system:node`,
  'create secrets in web': 'admin cluster-admin edit system:aggregate-to-edit system:kube-controller-manager',
  'impersonate serviceaccounts in web named a': 'admin cluster-admin edit system:aggregate-to-edit',
  'create serviceaccounts in web': `
    admin c:service-account-controller cluster-admin edit system:aggregate-to-edit
    system:kube-controller-manager`,
  'create serviceaccounts/token in web named a': 'cluster-admin system:kube-controller-manager system:node',
  'list configmaps in web': `
    admin c:generic-garbage-collector c:namespace-controller c:resourcequota-controller cluster-admin
    edit orch-public/c:bootstrap-signer orch-system/c:cloud-provider system:aggregate-to-view
    system:kube-controller-manager system:node view`,
  'update services/status in web named a': 'c:generic-garbage-collector c:service-controller cluster-admin',
  'update endpoints in web named a': `
    admin c:endpoint-controller c:generic-garbage-collector c:persistent-volume-binder cluster-admin
    edit system:aggregate-to-edit`,
  'patch deployments.apps in web named a':
    'admin c:generic-garbage-collector cluster-admin edit system:aggregate-to-edit',
  'update deployments.apps/scale in web named a': `
    admin c:generic-garbage-collector c:horizontal-pod-autoscaler cluster-admin edit
    system:aggregate-to-edit`,
  'create jobs.batch in web': 'admin c:cronjob-controller cluster-admin edit system:aggregate-to-edit',
  'create events in web': `
    c:attachdetach-controller c:certificate-controller c:cronjob-controller c:daemon-set-controller
    c:deployment-controller c:disruption-controller c:endpoint-controller c:endpointslice-controller
    c:endpointslicemirroring-controller c:ephemeral-volume-controller c:expand-controller
    c:generic-garbage-collector c:horizontal-pod-autoscaler c:job-controller c:node-controller
    c:persistent-volume-binder c:pv-protection-controller c:pvc-protection-controller
    c:replicaset-controller c:replication-controller c:resourcequota-controller c:root-ca-cert-publisher
    c:route-controller c:service-account-controller c:service-controller c:statefulset-controller
    c:ttl-after-finished-controller c:ttl-controller cluster-admin orch-public/c:bootstrap-signer
    orch-system/c:token-cleaner system:kube-controller-manager system:kube-scheduler system:node
    system:node-problem-detector system:node-proxier system:persistent-volume-provisioner`,
  'get namespaces named web': `
    admin c:generic-garbage-collector c:namespace-controller cluster-admin edit system:aggregate-to-view
    system:heapster system:kube-controller-manager view`,
  'update namespaces/finalize named web': 'c:generic-garbage-collector c:namespace-controller cluster-admin',
  'list nodes': `
    c:attachdetach-controller c:daemon-set-controller c:endpointslice-controller
    c:generic-garbage-collector c:namespace-controller c:node-controller c:persistent-volume-binder
    c:pod-garbage-collector c:resourcequota-controller c:route-controller c:service-controller
    c:ttl-controller cluster-admin system:heapster system:kube-controller-manager system:kube-scheduler
    system:kubelet-api-admin system:node system:node-proxier`,
  'patch nodes/status named n': `
    c:attachdetach-controller c:generic-garbage-collector c:node-controller c:route-controller
    cluster-admin system:node system:node-problem-detector`,
  'get nodes/proxy named n':
    'c:generic-garbage-collector c:namespace-controller cluster-admin system:kubelet-api-admin',
  'update persistentvolumes named v': `
    c:expand-controller c:generic-garbage-collector c:persistent-volume-binder
    c:pv-protection-controller cluster-admin system:volume-scheduler`,
  'create rolebindings.rbac.authorization.orch.io in web': 'admin cluster-admin system:aggregate-to-admin',
  'update clusterroles.rbac.authorization.orch.io named r':
    'c:clusterrole-aggregation-controller c:generic-garbage-collector cluster-admin',
  'escalate clusterroles.rbac.authorization.orch.io named r':
    'c:clusterrole-aggregation-controller cluster-admin',
  'create tokenreviews.authentication.orch.io':
    'cluster-admin system:auth-delegator system:kube-controller-manager system:kube-scheduler system:node',
  'create subjectaccessreviews.authorization.orch.io': `
    c:certificate-controller cluster-admin system:auth-delegator system:kube-controller-manager
    system:kube-scheduler system:node`,
  'create localsubjectaccessreviews.authorization.orch.io in web':
    'admin cluster-admin system:aggregate-to-admin system:node',
  'create selfsubjectaccessreviews.authorization.orch.io': 'cluster-admin system:basic-user',
  'approve signers.certificates.orch.io named orch.io/kubelet-serving':
    'cluster-admin system:certificates.orch.io:kubelet-serving-approver',
  'sign signers.certificates.orch.io named orch.io/legacy-unknown': 'c:certificate-controller cluster-admin',
  'create certificatesigningrequests.certificates.orch.io':
    'cluster-admin system:node system:node-bootstrapper',
  'update leases.coordination.orch.io in orch-system named kube-scheduler':
    'c:generic-garbage-collector cluster-admin system:kube-scheduler system:node',
  'list widgets.example.com in web': `
    c:generic-garbage-collector c:namespace-controller c:resourcequota-controller cluster-admin
    system:kube-controller-manager`,
  'delete widgets.example.com in web named a':
    'c:generic-garbage-collector c:namespace-controller cluster-admin',
  'use podsecuritypolicies.policy named p': 'cluster-admin',
  'get /healthz': 'cluster-admin system:discovery system:monitoring system:public-info-viewer',
  'get /readyz/etcd': 'cluster-admin system:monitoring',
  'get /metrics': 'cluster-admin system:monitoring',
  'get /apis/apps/v1': 'cluster-admin system:discovery',
  'get /openid/v1/jwks': 'cluster-admin system:service-account-issuer-discovery',
  'post /anything': 'cluster-admin',
  'create certificatesigningrequests.certificates.orch.io/nodeclient':
    'cluster-admin system:certificates.orch.io:certificatesigningrequests:nodeclient',
  'create certificatesigningrequests.certificates.orch.io/selfnodeclient':
    'cluster-admin system:certificates.orch.io:certificatesigningrequests:selfnodeclient',
  'approve signers.certificates.orch.io named orch.io/kube-apiserver-client':
    'cluster-admin system:certificates.orch.io:kube-apiserver-client-approver',
  'approve signers.certificates.orch.io named orch.io/kube-apiserver-client-kubelet': `
    c:certificate-controller cluster-admin
    system:certificates.orch.io:kube-apiserver-client-kubelet-approver`,
  'approve signers.certificates.orch.io named orch.io/legacy-unknown':
    'cluster-admin system:certificates.orch.io:legacy-unknown-approver',
  'list services in web': `
    admin c:endpoint-controller c:endpointslice-controller c:endpointslicemirroring-controller
    c:generic-garbage-collector c:namespace-controller c:resourcequota-controller c:service-controller
    cluster-admin edit system:aggregate-to-view system:kube-aggregator system:kube-controller-manager
    system:kube-dns system:kube-scheduler system:node system:node-proxier view`,
  'list endpoints in web': `
    admin c:endpoint-controller c:endpointslicemirroring-controller c:generic-garbage-collector
    c:namespace-controller c:resourcequota-controller cluster-admin edit system:aggregate-to-view
    system:kube-aggregator system:kube-controller-manager system:kube-dns system:node-proxier view`,
  'create endpoints in web': `
    admin c:endpoint-controller c:persistent-volume-binder cluster-admin edit system:aggregate-to-edit
    system:kube-controller-manager system:kube-scheduler`,
  'get statefulsets.apps/scale in web named a': `
    admin c:disruption-controller c:generic-garbage-collector c:horizontal-pod-autoscaler
    c:namespace-controller cluster-admin edit system:aggregate-to-view view`,
  'update jobs.batch/status in web named a': 'c:generic-garbage-collector c:job-controller cluster-admin',
  'update replicasets.apps/status in web named a':
    'c:generic-garbage-collector c:replicaset-controller cluster-admin',
  'update poddisruptionbudgets.policy/status in web named a':
    'c:disruption-controller c:generic-garbage-collector cluster-admin',
  'create endpointslices.discovery.orch.io in web':
    'c:endpointslice-controller c:endpointslicemirroring-controller cluster-admin',
  'update persistentvolumeclaims in web named a': `
    admin c:generic-garbage-collector c:persistent-volume-binder c:pvc-protection-controller
    cluster-admin edit system:aggregate-to-edit system:persistent-volume-provisioner
    system:volume-scheduler`,
  'update persistentvolumeclaims/status in web named a':
    'c:expand-controller c:generic-garbage-collector c:persistent-volume-binder cluster-admin system:node',
  'create persistentvolumeclaims in web': `
    admin c:ephemeral-volume-controller c:statefulset-controller cluster-admin edit
    system:aggregate-to-edit`,
  'list volumeattachments.storage.orch.io': `
    c:attachdetach-controller c:generic-garbage-collector c:namespace-controller
    c:resourcequota-controller cluster-admin system:kube-controller-manager`,
  'list storageclasses.storage.orch.io': `
    c:expand-controller c:generic-garbage-collector c:namespace-controller c:persistent-volume-binder
    c:resourcequota-controller cluster-admin system:kube-controller-manager
    system:persistent-volume-provisioner system:volume-scheduler`,
  'create controllerrevisions.apps in web': 'c:daemon-set-controller c:statefulset-controller cluster-admin',
  'update resourcequotas/status in web named a':
    'c:generic-garbage-collector c:resourcequota-controller cluster-admin',
  'create configmaps in web': `
    admin c:root-ca-cert-publisher cluster-admin edit orch-system/c:cloud-provider
    system:aggregate-to-edit`,
  'delete jobs.batch in web named a': `
    admin c:cronjob-controller c:generic-garbage-collector c:namespace-controller
    c:ttl-after-finished-controller cluster-admin edit system:aggregate-to-edit`,
  'patch nodes named n':
    'c:generic-garbage-collector c:node-controller c:ttl-controller cluster-admin system:node',
  'get configmaps in orch-system named extension-apiserver-authentication': `
    admin c:generic-garbage-collector c:namespace-controller cluster-admin edit
    orch-public/c:bootstrap-signer orch-system/c:cloud-provider
    orch-system/extension-apiserver-authentication-reader system:aggregate-to-view
    system:kube-controller-manager system:node view`,
  'update configmaps in orch-system named kube-controller-manager': `
    admin c:generic-garbage-collector c:root-ca-cert-publisher cluster-admin edit
    orch-system/system::leader-locking-kube-controller-manager system:aggregate-to-edit`,
  'update configmaps in orch-system named kube-scheduler': `
    admin c:generic-garbage-collector c:root-ca-cert-publisher cluster-admin edit
    orch-system/system::leader-locking-kube-scheduler system:aggregate-to-edit`,
  'create leases.coordination.orch.io in orch-system': `
    cluster-admin orch-system/system::leader-locking-orch-controller-manager
    system:kube-controller-manager system:kube-scheduler system:node`,
  'update leases.coordination.orch.io in orch-system named orch-controller-manager': `
    c:generic-garbage-collector cluster-admin orch-system/system::leader-locking-orch-controller-manager
    system:node`,
  'get services/proxy in web named http:heapster:': `
    admin c:generic-garbage-collector c:horizontal-pod-autoscaler c:namespace-controller cluster-admin
    edit system:aggregate-to-edit`,
};
