/** User-facing roles and roles for all authenticated users. */
import { paths, rule, type ClusterRoleSource } from './types.ts';

export const userRoles: readonly ClusterRoleSource[] = [
  {
    name: 'admin',
    gathers: 'admin',
    rules: [],
  },
  {
    name: 'cluster-admin',
    rules: [rule('*', '*', '*'), paths('*', '*')],
  },
  {
    name: 'edit',
    gathers: 'edit',
    joins: 'admin',
    rules: [],
  },
  {
    name: 'system:aggregate-to-admin',
    joins: 'admin',
    rules: [
      rule('create', 'authorization.{api}', 'localsubjectaccessreviews'),
      rule(
        'create delete deletecollection get list patch update watch',
        'rbac.authorization.{api}',
        'rolebindings roles',
      ),
    ],
  },
  {
    name: 'system:aggregate-to-edit',
    joins: 'edit',
    rules: [
      rule(
        'get list watch',
        'core',
        'pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy',
      ),
      rule('impersonate', 'core', 'serviceaccounts'),
      rule(
        'create delete deletecollection patch update',
        'core',
        'pods pods/attach pods/exec pods/portforward pods/proxy',
      ),
      rule(
        'create delete deletecollection patch update',
        'core',
        'configmaps persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy',
      ),
      rule(
        'create delete deletecollection patch update',
        'apps',
        'daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale',
      ),
      rule('create delete deletecollection patch update', 'autoscaling', 'horizontalpodautoscalers'),
      rule('create delete deletecollection patch update', 'batch', 'cronjobs jobs'),
      rule(
        'create delete deletecollection patch update',
        'extensions',
        'daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale',
      ),
      rule('create delete deletecollection patch update', 'policy', 'poddisruptionbudgets'),
      rule('create delete deletecollection patch update', 'networking.{api}', 'ingresses networkpolicies'),
    ],
  },
  {
    name: 'system:aggregate-to-view',
    joins: 'view',
    rules: [
      rule(
        'get list watch',
        'core',
        'configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status',
      ),
      rule(
        'get list watch',
        'core',
        'bindings events limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status',
      ),
      rule('get list watch', 'core', 'namespaces'),
      rule(
        'get list watch',
        'apps',
        'controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status',
      ),
      rule('get list watch', 'autoscaling', 'horizontalpodautoscalers horizontalpodautoscalers/status'),
      rule('get list watch', 'batch', 'cronjobs cronjobs/status jobs jobs/status'),
      rule(
        'get list watch',
        'extensions',
        'daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale',
      ),
      rule('get list watch', 'policy', 'poddisruptionbudgets poddisruptionbudgets/status'),
      rule('get list watch', 'networking.{api}', 'ingresses ingresses/status networkpolicies'),
    ],
  },
  {
    name: 'system:auth-delegator',
    rules: [
      rule('create', 'authentication.{api}', 'tokenreviews'),
      rule('create', 'authorization.{api}', 'subjectaccessreviews'),
    ],
  },
  {
    name: 'system:basic-user',
    rules: [rule('create', 'authorization.{api}', 'selfsubjectaccessreviews selfsubjectrulesreviews')],
  },
  {
    name: 'system:discovery',
    rules: [
      paths(
        'get',
        '/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/',
      ),
    ],
  },
  {
    name: 'system:monitoring',
    rules: [paths('get', '/healthz /healthz/* /livez /livez/* /metrics /readyz /readyz/*')],
  },
  {
    name: 'system:public-info-viewer',
    rules: [paths('get', '/healthz /livez /readyz /version /version/')],
  },
  {
    name: 'system:service-account-issuer-discovery',
    rules: [paths('get', '/.well-known/openid-configuration /openid/v1/jwks')],
  },
  {
    name: 'view',
    gathers: 'view',
    joins: 'edit',
    rules: [],
  },
];
