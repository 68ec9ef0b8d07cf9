/** The rules of one role, indexed by resource: a decision checks many roles, most of which have no matching rule. */
import type { RequestInfo } from '../../meta/request-info.ts';
import { coversPath, type PolicyRule } from './policy-rule.ts';

const all = '*';

export class RoleRules {
  readonly list: readonly PolicyRule[];
  /** By what stands in `resources`: `pods`, `pods/log`, `*`, or a star in the place of the resource. */
  private readonly byResource: ReadonlyMap<string, ShortRule | ResourceRules>;
  private readonly ofPaths: readonly PolicyRule[];

  constructor(list: readonly PolicyRule[]) {
    this.list = list;
    this.ofPaths = list.filter(({ nonResourceURLs }) => nonResourceURLs.length > 0);
    this.byResource = rulesByResource(list);
  }

  /** True when a rule covers what the request asks for. `resource` is the request's resource with its subresource. */
  allows(info: RequestInfo, resource: string): boolean {
    if (!info.isResourceRequest) return this.ofPaths.some((rule) => allowsPath(rule, info));
    return resourceKeys(info, resource).some((key) => {
      const rules = this.byResource.get(key);
      return rules instanceof ResourceRules
        ? rules.allow(info)
        : rules !== undefined && shortAllows(rules, info);
    });
  }

  /** Whether a rule is about paths. */
  get hasPaths(): boolean {
    return this.ofPaths.length > 0;
  }
}

/** The only rule of a role about a resource, with few names: most are, and there may be a million of them. */
type ShortRule = PolicyRule;

const fewNames = 8;

function shortAllows(rule: ShortRule, info: RequestInfo): boolean {
  const { resourceNames } = rule;
  return (resourceNames.length === 0 || resourceNames.includes(info.name)) && allowsVerb(rule, info);
}

function rulesByResource(list: readonly PolicyRule[]): Map<string, ShortRule | ResourceRules> {
  const byResource = new Map<string, ShortRule | ResourceRules>();
  for (const rule of list)
    for (const resource of new Set(rule.resources))
      byResource.set(resource, withRule(byResource.get(resource), rule));
  return byResource;
}

function withRule(known: ShortRule | ResourceRules | undefined, rule: PolicyRule): ShortRule | ResourceRules {
  if (known === undefined && rule.resourceNames.length <= fewNames) return rule;
  const rules = known instanceof ResourceRules ? known : new ResourceRules();
  if (known !== undefined && known !== rules) rules.add(known as ShortRule);
  rules.add(rule);
  return rules;
}

/** What may stand in `resources` of a rule that covers this request. */
export function resourceKeys({ subresource }: RequestInfo, resource: string): string[] {
  return subresource === '' ? [resource, all] : [resource, all, `${all}/${subresource}`];
}

/** The rules of a role about one resource. Those of named objects are looked up by name: there may be thousands. */
class ResourceRules {
  private readonly ofAll: PolicyRule[] = [];
  private readonly ofSome: PolicyRule[] = [];
  /** Built on first use: few roles are ever checked. */
  private byName: ReadonlyMap<string, readonly PolicyRule[]> | undefined;

  add(rule: PolicyRule): void {
    (rule.resourceNames.length === 0 ? this.ofAll : this.ofSome).push(rule);
  }

  allow(info: RequestInfo): boolean {
    if (this.ofAll.some((rule) => allowsVerb(rule, info))) return true;
    if (this.ofSome.length === 0) return false;
    this.byName ??= rulesByName(this.ofSome);
    return this.byName.get(info.name)?.some((rule) => allowsVerb(rule, info)) === true;
  }
}

function rulesByName(rules: readonly PolicyRule[]): Map<string, PolicyRule[]> {
  const byName = new Map<string, PolicyRule[]>();
  for (const rule of rules) {
    for (const name of rule.resourceNames) {
      const same = byName.get(name);
      if (same) same.push(rule);
      else byName.set(name, [rule]);
    }
  }
  return byName;
}

/** `pods`, or `pods/log`. */
export function combinedResource({ resource, subresource }: RequestInfo): string {
  return subresource === '' ? resource : `${resource}/${subresource}`;
}

function allowsPath({ verbs, nonResourceURLs }: PolicyRule, { verb, path }: RequestInfo): boolean {
  return hasOrAll(verbs, verb) && nonResourceURLs.some((url) => coversPath(url, path));
}

/** Whether a rule covers verb and API group of a request. */
export function allowsVerb({ verbs, apiGroups }: PolicyRule, info: RequestInfo): boolean {
  return hasOrAll(verbs, info.verb) && hasOrAll(apiGroups, info.apiGroup);
}

function hasOrAll(list: readonly string[], wanted: string): boolean {
  return list.includes(wanted) || list.includes(all);
}
