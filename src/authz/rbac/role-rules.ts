/** The rules of one role, arranged by resource: a decision asks many roles, most of which say nothing of the matter. */
import type { RequestInfo } from '../../meta/request-info.ts';
import { coversPath, type PolicyRule } from './policy-rule.ts';

const all = '*';

export class RoleRules {
  readonly list: readonly PolicyRule[];
  /** By what stands in `resources`: `pods`, `pods/log`, `*`, or a star in the place of the resource. */
  private readonly byResource = new Map<string, PolicyRule[]>();
  private readonly ofPaths: readonly PolicyRule[];

  constructor(list: readonly PolicyRule[]) {
    this.list = list;
    this.ofPaths = list.filter(({ nonResourceURLs }) => nonResourceURLs.length > 0);
    for (const rule of list) for (const resource of new Set(rule.resources)) this.add(resource, rule);
  }

  /** True when a rule covers what the request asks for. `resource` is the request's resource with its subresource. */
  allows(info: RequestInfo, resource: string): boolean {
    if (!info.isResourceRequest) return this.ofPaths.some((rule) => allowsPath(rule, info));
    if (this.allowsUnder(resource, info) || this.allowsUnder(all, info)) return true;
    return info.subresource !== '' && this.allowsUnder(`${all}/${info.subresource}`, info);
  }

  private allowsUnder(resource: string, info: RequestInfo): boolean {
    const rules = this.byResource.get(resource);
    return rules?.some((rule) => allowsObject(rule, info)) === true;
  }

  private add(resource: string, rule: PolicyRule): void {
    const rules = this.byResource.get(resource);
    if (rules) rules.push(rule);
    else this.byResource.set(resource, [rule]);
  }
}

/** `pods`, or `pods/log`. */
export function combinedResource({ resource, subresource }: RequestInfo): string {
  return subresource === '' ? resource : `${resource}/${subresource}`;
}

function allowsPath({ verbs, nonResourceURLs }: PolicyRule, { verb, path }: RequestInfo): boolean {
  return hasOrAll(verbs, verb) && nonResourceURLs.some((url) => coversPath(url, path));
}

/** The resource is known to match. No names: all of them. */
function allowsObject({ verbs, apiGroups, resourceNames }: PolicyRule, info: RequestInfo): boolean {
  return (
    hasOrAll(verbs, info.verb) &&
    hasOrAll(apiGroups, info.apiGroup) &&
    (resourceNames.length === 0 || resourceNames.includes(info.name))
  );
}

function hasOrAll(list: readonly string[], wanted: string): boolean {
  return list.includes(wanted) || list.includes(all);
}
