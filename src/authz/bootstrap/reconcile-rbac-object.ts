/**
 * Reconciles an object with the bootstrap policy (Kubernetes documentation, "Auto-reconciliation"): missing permissions
 * and subjects are added, nothing is removed; an object whose auto-update annotation is `false` stays unchanged.
 */
import { deepEqual, isObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { readRules, ruleObject } from '../rbac/policy-rule.ts';
import { missingRules } from '../rbac/rule-cover.ts';

export type RbacReconciliation =
  | { readonly action: 'none' }
  | { readonly action: 'update'; readonly object: JsonObject }
  /** It names another role, which no update may change. */
  | { readonly action: 'replace' };

const none: RbacReconciliation = { action: 'none' };

/** @param autoUpdate name of the annotation that lets an object be changed */
export async function reconcileRbacObject(
  existing: JsonObject,
  wanted: JsonObject,
  autoUpdate: string,
): Promise<RbacReconciliation> {
  const metadata = member(existing, 'metadata');
  if (member(metadata, 'annotations')[autoUpdate] === 'false') return none;
  if (!deepEqual(existing['roleRef'], wanted['roleRef'])) return { action: 'replace' };
  const object = {
    ...existing,
    metadata: { ...metadata, ...namedTexts(metadata, member(wanted, 'metadata')) },
    ...(wanted['rules'] !== undefined && (await withRules(existing, wanted))),
    ...withSelectors(existing, wanted),
    ...withSubjects(existing, wanted),
  };
  return deepEqual(object, existing) ? none : { action: 'update', object };
}

/** Labels and annotations: existing values win. */
function namedTexts(existing: JsonObject, wanted: JsonObject): JsonObject {
  const merged = (name: string): JsonObject => ({ ...member(wanted, name), ...member(existing, name) });
  return { labels: merged('labels'), annotations: merged('annotations') };
}

async function withRules(existing: JsonObject, wanted: JsonObject): Promise<JsonObject> {
  // The rules of such a role are those of others.
  if (isObject(wanted['aggregationRule'])) return {};
  const { rules: missing } = await missingRules(readRules(existing['rules']), readRules(wanted['rules']));
  return missing.length === 0 ? {} : { rules: [...list(existing['rules']), ...missing.map(ruleObject)] };
}

function withSelectors(existing: JsonObject, wanted: JsonObject): JsonObject {
  if (!isObject(wanted['aggregationRule'])) return {};
  const selectors = joined(
    member(existing, 'aggregationRule')['clusterRoleSelectors'],
    wanted['aggregationRule']['clusterRoleSelectors'],
  );
  return { aggregationRule: { clusterRoleSelectors: selectors } };
}

function withSubjects(existing: JsonObject, wanted: JsonObject): JsonObject {
  const { subjects } = wanted;
  return subjects === undefined ? {} : { subjects: joined(existing['subjects'], subjects) };
}

function joined(existing: JsonValue | undefined, wanted: JsonValue | undefined): JsonValue[] {
  const there = list(existing);
  return [...there, ...list(wanted).filter((item) => !there.some((other) => deepEqual(other, item)))];
}

function list(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function member(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isObject(value) ? value : {};
}
