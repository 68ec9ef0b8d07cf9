/** The policy that every service begins with, as objects of a naming profile. */
import type { JsonObject } from '../../base/json.ts';
import { expandNames, type NamingProfile } from '../../meta/naming.ts';
import { rbacGroup, type PolicyPlural } from '../rbac/policy-objects.ts';
import { ruleObject } from '../rbac/policy-rule.ts';
import { bindingOfController, bindings } from './bootstrap-bindings.ts';
import { componentRoles } from './component-roles.ts';
import { controllerRoles } from './controller-roles.ts';
import { laterRolesOf } from './later-roles.ts';
import { laterRulesOf } from './later-rules.ts';
import { specifiedPolicy, type ServedPolicy } from './served-policy.ts';
import { namespacedRoles } from './namespaced-roles.ts';
import type { AggregateName, BindingSource, ClusterRoleSource, SubjectSource } from './types.ts';
import { userRoles } from './user-roles.ts';

export interface BootstrapRbacObject {
  readonly plural: PolicyPlural;
  /** '' for the cluster. */
  readonly namespace: string;
  readonly name: string;
  readonly object: JsonObject;
}

/** An object with the value `false` is never changed. */
export const autoUpdateAnnotation = 'rbac.authorization.{label}/autoupdate';

/** Roles before the bindings that name them. @param served absent: release 1.21 */
export function bootstrapPolicy(naming: NamingProfile, served = specifiedPolicy): BootstrapRbacObject[] {
  const clusterRoles = clusterRolesOf(served);
  const kinds = { clusterroles: 'ClusterRole', roles: 'Role' } as const;
  const role = (plural: keyof typeof kinds, source: RoleParts): BootstrapRbacObject =>
    bootstrapObject(naming, { plural, kind: kinds[plural], ...source });
  return [
    ...clusterRoles.map((source) =>
      role('clusterroles', {
        ...{ namespace: '', name: source.name },
        labels: source.joins === undefined ? {} : { [aggregateLabel(source.joins)]: 'true' },
        body: {
          rules: rulesOf(source, clusterRoles),
          ...(source.gathers !== undefined && aggregation(source.gathers)),
        },
      }),
    ),
    ...namespacedRoles.map(({ namespace, name, rules }) =>
      role('roles', {
        namespace,
        name,
        labels: {},
        body: { rules: [...rules, ...laterRulesOf(name, served)].map(ruleObject) },
      }),
    ),
    ...[...bindings, ...laterRolesOf(served).map(bindingOfController)].map((binding) =>
      bindingObject(naming, binding),
    ),
  ];
}

const specified: readonly ClusterRoleSource[] = [...userRoles, ...componentRoles, ...controllerRoles];

function clusterRolesOf(served: ServedPolicy): ClusterRoleSource[] {
  return [...specified, ...laterRolesOf(served)].map((source) => ({
    ...source,
    rules: [...source.rules, ...laterRulesOf(source.name, served)],
  }));
}

/**
 * An aggregated role begins with the rules that it will be given anyway, as the controller of these roles orders them, so
 * that it counts before any controller runs.
 */
function rulesOf(
  { rules, gathers }: ClusterRoleSource,
  clusterRoles: readonly ClusterRoleSource[],
): JsonObject[] {
  if (gathers === undefined) return rules.map(ruleObject);
  const members = clusterRoles.filter(({ joins }) => joins === gathers);
  const gathered = members
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((member) => rulesOf(member, clusterRoles));
  return [...new Map(gathered.map((rule) => [JSON.stringify(rule), rule])).values()];
}

interface RoleParts {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

interface ObjectParts extends RoleParts {
  readonly plural: PolicyPlural;
  readonly kind: string;
}

function bindingObject(naming: NamingProfile, source: BindingSource): BootstrapRbacObject {
  const { name, role, namespace = '', subjects } = source;
  const isNamespaced = namespace !== '';
  const apiGroup = rbacGroup(naming);
  return bootstrapObject(naming, {
    plural: isNamespaced ? 'rolebindings' : 'clusterrolebindings',
    kind: isNamespaced ? 'RoleBinding' : 'ClusterRoleBinding',
    ...{ namespace, name, labels: {} },
    body: {
      ...(subjects.length > 0 && { subjects: subjects.map((subject) => subjectObject(subject, apiGroup)) }),
      roleRef: { apiGroup, kind: isNamespaced ? 'Role' : 'ClusterRole', name: role },
    },
  });
}

function subjectObject({ kind, name }: SubjectSource, apiGroup: string): JsonObject {
  return kind === 'ServiceAccount' ? { kind, name, namespace: '{ns}-system' } : { apiGroup, kind, name };
}

function aggregateLabel(name: AggregateName): string {
  return `rbac.authorization.{api}/aggregate-to-${name}`;
}

function aggregation(name: AggregateName): JsonObject {
  return { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [aggregateLabel(name)]: 'true' } }] } };
}

/** Expands the names of the finished object: every text in it is a name. */
function bootstrapObject(naming: NamingProfile, parts: ObjectParts): BootstrapRbacObject {
  const { plural, kind, namespace, name, labels, body } = parts;
  const source: JsonObject = {
    apiVersion: `${rbacGroup(naming)}/v1`,
    kind,
    metadata: {
      name,
      ...(namespace !== '' && { namespace }),
      labels: { '{label}/bootstrapping': 'rbac-defaults', ...labels },
      annotations: { [autoUpdateAnnotation]: 'true' },
    },
    ...body,
  };
  const object = JSON.parse(expandNames(JSON.stringify(source), naming)) as JsonObject;
  return { plural, namespace: expandNames(namespace, naming), name: expandNames(name, naming), object };
}
