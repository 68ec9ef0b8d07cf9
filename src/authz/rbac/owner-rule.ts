/**
 * A rule of the writer, prepared for the check whether it covers another rule; its lists may be long and are searched
 * often.
 */
import { coversPath, type PolicyRule } from './policy-rule.ts';

const all = '*';
/** More comparisons of paths than these are not made at once: paths with stars are looked at one by one. */
const maxPathsAtOnce = 100_000;

export class OwnerRule {
  private readonly rule: PolicyRule;
  private readonly sets = new Map<readonly string[], ReadonlySet<string>>();
  private readonly starred: readonly string[];

  constructor(rule: PolicyRule) {
    this.rule = rule;
    this.starred = rule.nonResourceURLs.filter((url) => url.endsWith(all));
  }

  /** True when everything that `wanted` allows is allowed by this rule alone. */
  covers(wanted: PolicyRule): boolean {
    const { verbs, apiGroups, resourceNames } = this.rule;
    return (
      this.hasEvery(verbs, wanted.verbs) &&
      this.hasEvery(apiGroups, wanted.apiGroups) &&
      this.coversResources(wanted.resources) &&
      this.coversPaths(wanted.nonResourceURLs) &&
      (resourceNames.length === 0 ||
        (wanted.resourceNames.length > 0 && this.isAmong(resourceNames, wanted.resourceNames)))
    );
  }

  private hasEvery(list: readonly string[], wanted: readonly string[]): boolean {
    return this.set(list).has(all) || this.isAmong(list, wanted);
  }

  private isAmong(list: readonly string[], wanted: readonly string[]): boolean {
    const set = this.set(list);
    return wanted.every((item) => set.has(item));
  }

  private coversResources(wanted: readonly string[]): boolean {
    const resources = this.set(this.rule.resources);
    return resources.has(all) || wanted.every((resource) => coversResource(resources, resource));
  }

  private coversPaths(wanted: readonly string[]): boolean {
    if (wanted.length > 1 && wanted.length * this.starred.length > maxPathsAtOnce) return false;
    const urls = this.set(this.rule.nonResourceURLs);
    return wanted.every((path) => urls.has(path) || this.starred.some((url) => coversPath(url, path)));
  }

  /** Made when it is first needed: most rules fall short in their verbs already. */
  private set(list: readonly string[]): ReadonlySet<string> {
    let set = this.sets.get(list);
    if (!set) this.sets.set(list, (set = new Set(list)));
    return set;
  }
}

function coversResource(resources: ReadonlySet<string>, wanted: string): boolean {
  if (resources.has(wanted)) return true;
  const slash = wanted.indexOf('/');
  return slash >= 0 && resources.has(`${all}${wanted.slice(slash)}`);
}
