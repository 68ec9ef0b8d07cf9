/**
 * Privilege escalation prevention: a role may contain, and a binding may grant, only permissions of its writer, unless
 * the writer has the verb `escalate` on roles, or `bind` on the role. Checked after mutating admission, when the object
 * is what will be written; no flag switches it off.
 */
import { isObject, type JsonObject } from '../../base/json.ts';
import { asJson, changesOnlyCollection, type ApiObject } from '../../meta/object.ts';
import type { RequestInfo } from '../../meta/request-info.ts';
import { forbidden, notFound, StatusError } from '../../meta/status.ts';
import { groupMasters, type UserInfo } from '../../meta/user.ts';
import type { AdmissionAttributes, AdmissionChain } from '../../registry/types.ts';
import type { Authorizer } from '../types.ts';
import { readRoleRef, type RoleRef } from './policy-objects.ts';
import { readRules, type PolicyRule } from './policy-rule.ts';
import type { HeldRoles, RbacAuthorizer } from './rbac-authorizer.ts';
import type { RoleRules } from './role-rules.ts';
import { describeRule, missingRules, quotedList, type MissingRules } from './rule-cover.ts';

export interface EscalationCheck {
  /** The API group of roles and bindings. */
  readonly group: string;
  /** The authorizer for the verbs `escalate` and `bind`. */
  readonly authorizer: Authorizer;
  /** Knows the roles that users have. */
  readonly rbac: Pick<RbacAuthorizer, 'rolesFor'>;
  /** Rules of a role as the replica knows it; undefined: there is none. */
  readonly rulesOf: (roleRef: RoleRef, namespace: string) => readonly PolicyRule[] | undefined;
  /** Waits until the replica knows what was written anywhere before this call. */
  readonly catchUp: (signal: AbortSignal) => Promise<void>;
}

/** The chain, with the check behind its mutating phase. */
export function withEscalationCheck(chain: AdmissionChain, check: EscalationCheck): AdmissionChain {
  return {
    admit: async (attributes) => {
      await chain.admit(attributes);
      if (isPolicyWrite(check, attributes)) await assertNoEscalation(check, attributes);
    },
    validate: (attributes) => chain.validate(attributes),
    callsWebhooks: (scope) => chain.callsWebhooks(scope),
  };
}

function isPolicyWrite({ group }: EscalationCheck, { operation, scope }: AdmissionAttributes): boolean {
  const isWrite = operation === 'CREATE' || operation === 'UPDATE';
  return isWrite && scope.resource.gvr.group === group && scope.subresource === '';
}

/** @throws StatusError 403 with what is missing; 404 where a binding names a role that is not there */
async function assertNoEscalation(check: EscalationCheck, attributes: AdmissionAttributes): Promise<void> {
  const { scope, object, oldObject } = attributes;
  if (object === undefined) throw new Error('a write of the policy came without its object');
  if (scope.user.groups.includes(groupMasters)) return;
  if (oldObject !== undefined && changesOnlyCollection(object, oldObject)) return;
  try {
    await assertOnce(check, attributes, object);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    // Only the newest policy may reject a write.
    await check.catchUp(scope.signal);
    await assertOnce(check, attributes, object);
  }
}

async function assertOnce(
  check: EscalationCheck,
  attributes: AdmissionAttributes,
  object: ApiObject,
): Promise<void> {
  const { resource } = attributes.scope.resource.gvr;
  const json = asJson(object);
  if (resource.endsWith('bindings')) await assertMayBind(check, attributes, json);
  else await assertMayHold(check, attributes, json);
}

async function assertMayHold(
  check: EscalationCheck,
  attributes: AdmissionAttributes,
  role: JsonObject,
): Promise<void> {
  const { scope, operation, oldObject } = attributes;
  const { resource } = scope.resource.gvr;
  const name = operation === 'CREATE' ? '' : attributes.name;
  if (await may(check, attributes, { verb: 'escalate', resource, name })) return;
  await assertHolds(check, attributes, readRules(role['rules']));
  // It aggregates all roles with such labels, now or later.
  const isAggregated = isObject(role['aggregationRule']) || isObject(oldObject?.['aggregationRule']);
  if (isAggregated && (await missingOf(check, attributes, everything)).rules.length > 0)
    throw forbiddenRequest(attributes, 'must have cluster-admin privileges to use the aggregationRule');
}

async function assertMayBind(
  check: EscalationCheck,
  attributes: AdmissionAttributes,
  { roleRef }: JsonObject,
): Promise<void> {
  const { namespace } = attributes.scope;
  const ref = readRoleRef(isObject(roleRef) ? roleRef : {});
  const resource = ref.kind === 'ClusterRole' ? 'clusterroles' : 'roles';
  if (await may(check, attributes, { verb: 'bind', resource, name: ref.name })) return;
  const rules = check.rulesOf(ref, namespace);
  if (rules === undefined) throw notFound({ group: check.group, resource }, ref.name);
  await assertHolds(check, attributes, rules);
}

const everything: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [], nonResourceURLs: [] },
  { verbs: ['*'], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: ['*'] },
];

async function missingOf(
  { rbac }: EscalationCheck,
  { scope }: AdmissionAttributes,
  wanted: readonly PolicyRule[],
): Promise<MissingRules & Pick<HeldRoles, 'problems'>> {
  const { roles, problems } = rbac.rolesFor(scope.user, scope.namespace);
  return { ...(await missingRules(eachOf(roles), wanted, scope.signal)), problems };
}

function* eachOf(roles: Iterable<RoleRules>): Generator<PolicyRule> {
  for (const { list } of roles) yield* list;
}

async function assertHolds(
  check: EscalationCheck,
  attributes: AdmissionAttributes,
  wanted: readonly PolicyRule[],
): Promise<void> {
  const { rules: missing, isUnfinished, problems } = await missingOf(check, attributes, wanted);
  const { user } = attributes.scope;
  if (missing.length === 0 && !isUnfinished) return;
  if (missing.length === 0)
    throw forbiddenRequest(
      attributes,
      `${grantingUser(user)} permissions in too many combinations to compare`,
    );
  const lines = [...new Set(missing.map(describeRule))].sort().join('\n');
  const trouble = problems.length === 0 ? '' : `; resolution errors: [${problems.join(', ')}]`;
  throw forbiddenRequest(
    attributes,
    `${grantingUser(user)} permissions not currently held:\n${lines}${trouble}`,
  );
}

function grantingUser({ name, groups }: UserInfo): string {
  return `user ${JSON.stringify(name)} (groups=${quotedList(groups)}) is attempting to grant RBAC`;
}

function forbiddenRequest({ scope, name }: AdmissionAttributes, problem: string): Error {
  return forbidden(scope.resource.gvr, name, problem);
}

async function may(
  { authorizer, group }: EscalationCheck,
  { scope }: AdmissionAttributes,
  { verb, resource, name }: Pick<RequestInfo, 'verb' | 'resource' | 'name'>,
): Promise<boolean> {
  const info: RequestInfo = {
    isResourceRequest: true,
    path: '',
    apiPrefix: 'apis',
    apiGroup: group,
    apiVersion: scope.resource.gvr.version,
    namespace: scope.namespace,
    subresource: '',
    parts: [],
    ...{ verb, resource, name },
  };
  return (await authorizer.authorize({ user: scope.user, info })).decision === 'allow';
}
