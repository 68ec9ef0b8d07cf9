/** One rule of a role, as it is stored (PolicyRule of the RBAC API group). */
import { isObject, type JsonObject, type JsonValue } from '../../base/json.ts';

/** Verbs on resources of API groups, or on paths. Empty lists cover nothing, except `resourceNames`: every name. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

/** The rules of a stored role; what is no rule is left out. */
export function readRules(rules: JsonValue | undefined): PolicyRule[] {
  return [...eachRule(rules)];
}

/** The same, one by one: a role may have hundreds of thousands. */
export function* eachRule(rules: JsonValue | undefined): Generator<PolicyRule> {
  if (Array.isArray(rules)) for (const rule of rules) if (isObject(rule)) yield readRule(rule);
}

function readRule(rule: JsonObject): PolicyRule {
  return {
    verbs: strings(rule['verbs']),
    apiGroups: strings(rule['apiGroups']),
    resources: strings(rule['resources']),
    resourceNames: strings(rule['resourceNames']),
    nonResourceURLs: strings(rule['nonResourceURLs']),
  };
}

const none: readonly string[] = [];

/**
 * The texts of a list; anything else counts as empty. The parsed list itself is kept where it has nothing else: it is as
 * long as its items need, while one that grows has room for 17, and there may be a million of them.
 */
function strings(value: JsonValue | undefined): readonly string[] {
  if (!Array.isArray(value) || value.length === 0) return none;
  const isText = (item: JsonValue): item is string => typeof item === 'string';
  return value.every(isText) ? value : value.filter(isText);
}

/** A rule as it stands in a role, without empty lists. */
export function ruleObject(rule: PolicyRule): JsonObject {
  const object: JsonObject = {};
  if (rule.apiGroups.length > 0) object['apiGroups'] = [...rule.apiGroups];
  if (rule.resources.length > 0) object['resources'] = [...rule.resources];
  if (rule.resourceNames.length > 0) object['resourceNames'] = [...rule.resourceNames];
  if (rule.nonResourceURLs.length > 0) object['nonResourceURLs'] = [...rule.nonResourceURLs];
  return { ...object, verbs: [...rule.verbs] };
}

/** A path of a rule covers itself and, with a star at its end, all that begins like it. */
export function coversPath(url: string, path: string): boolean {
  return url === path || (url.endsWith('*') && path.startsWith(url.slice(0, -1)));
}
