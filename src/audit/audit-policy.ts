/**
 * The audit policy: the first rule that matches a request sets its audit level; without a match nothing is recorded.
 */
import type { RequestInfo } from '../meta/request-info.ts';
import type { AuditAttributes, AuditDecision, AuditLevel, AuditStage } from './types.ts';

/** Resources of one group; empty lists: all. */
export interface PolicyResources {
  readonly group: string;
  /** `pods`, `pods/status`, `pods/*`, `*` + `/status`, `*`. */
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
}

/** Empty lists: whatever it is. */
export interface PolicyRule {
  readonly level: AuditLevel;
  readonly users: readonly string[];
  readonly userGroups: readonly string[];
  readonly verbs: readonly string[];
  readonly resources: readonly PolicyResources[];
  /** '' among them: resources of the cluster. */
  readonly namespaces: readonly string[];
  readonly nonResourceURLs: readonly string[];
  readonly omitStages: readonly AuditStage[];
}

export interface PolicyFile {
  readonly rules: readonly PolicyRule[];
  /** For all rules. */
  readonly omitStages: readonly AuditStage[];
}

export type AuditPolicy = (attributes: AuditAttributes) => AuditDecision;

const nothing: AuditDecision = { level: 'None', omitStages: new Set() };

export function createAuditPolicy(file: PolicyFile): AuditPolicy {
  const decided = file.rules.map((rule) => ({
    rule,
    decision: { level: rule.level, omitStages: new Set([...file.omitStages, ...rule.omitStages]) },
  }));
  return (attributes) => decided.find(({ rule }) => fits(rule, attributes))?.decision ?? nothing;
}

function fits(rule: PolicyRule, { user, info }: AuditAttributes): boolean {
  if (rule.users.length > 0 && !(user && rule.users.includes(user.name))) return false;
  if (rule.userGroups.length > 0 && !user?.groups.some((group) => rule.userGroups.includes(group)))
    return false;
  if (rule.verbs.length > 0 && !rule.verbs.includes(info.verb)) return false;
  if (rule.namespaces.length > 0 || rule.resources.length > 0) return fitsResource(rule, info);
  if (rule.nonResourceURLs.length > 0) return fitsPath(rule, info);
  return true;
}

function fitsResource(rule: PolicyRule, info: RequestInfo): boolean {
  if (!info.isResourceRequest) return false;
  if (rule.namespaces.length > 0 && !rule.namespaces.includes(info.namespace)) return false;
  return rule.resources.length === 0 || rule.resources.some((resources) => covers(resources, info));
}

function covers({ group, resources, resourceNames }: PolicyResources, info: RequestInfo): boolean {
  if (group !== info.apiGroup) return false;
  if (resources.length === 0) return true;
  if (resourceNames.length > 0 && !resourceNames.includes(info.name)) return false;
  const { resource, subresource } = info;
  const whole = subresource === '' ? resource : `${resource}/${subresource}`;
  return resources.some(
    (word) =>
      word === '*' ||
      word === whole ||
      word === `${resource}/*` ||
      (subresource !== '' && word === `*/${subresource}`),
  );
}

function fitsPath({ nonResourceURLs }: PolicyRule, { isResourceRequest, path }: RequestInfo): boolean {
  if (isResourceRequest) return false;
  return nonResourceURLs.some((url) =>
    url.endsWith('*') ? path.startsWith(url.slice(0, -1)) : url === path,
  );
}
