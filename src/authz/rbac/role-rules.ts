/** The rules of one role, indexed by resource: a decision checks many roles, most of which have no matching rule. */
import type { RequestInfo } from '../../meta/request-info.ts';
import { coversPath, type PolicyRule } from './policy-rule.ts';

const all = '*';

export class RoleRules {
  readonly list: readonly PolicyRule[];
  /** Rules, and what stands in their lists. */
  readonly weight: number;
  /** By what stands in `resources`: `pods`, `pods/log`, `*`, or a star in the place of the resource. */
  private readonly byResource: ReadonlyMap<string, ShortRule | ResourceRules>;
  private readonly ofPaths: readonly PolicyRule[];

  /** @param index of the rules; absent: it is made here, in one step */
  constructor(list: readonly PolicyRule[], index = indexAtOnce(list)) {
    this.list = list;
    this.weight = index.weight;
    this.ofPaths = index.ofPaths;
    this.byResource = index.byResource;
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

/** What `RoleRules` looks rules up in, rule by rule. */
export class RuleIndex {
  weight = 0;
  readonly byResource = new Map<string, ShortRule | ResourceRules>();
  readonly ofPaths: PolicyRule[] = [];

  /** Adds a rule; yields after every few thousand resources. */
  *add(rule: PolicyRule): Generator<void, void> {
    const { resources, resourceNames, nonResourceURLs } = rule;
    this.weight += 1 + resources.length + resourceNames.length + nonResourceURLs.length;
    if (nonResourceURLs.length > 0) this.ofPaths.push(rule);
    for (let i = 0; i < resources.length; i += 1) {
      const resource = resources[i] ?? '';
      this.byResource.set(resource, withRule(this.byResource.get(resource), rule));
      if (i % resourcesOfStep === resourcesOfStep - 1) yield;
    }
  }
}

/** Takes a millisecond or two. */
const resourcesOfStep = 2_000;

function indexAtOnce(list: readonly PolicyRule[]): RuleIndex {
  const index = new RuleIndex();
  for (const rule of list) for (const _step of index.add(rule));
  return index;
}

/** @param rule may be known: a rule may name a resource twice */
function withRule(known: ShortRule | ResourceRules | undefined, rule: PolicyRule): ShortRule | ResourceRules {
  if (known === rule || (known instanceof ResourceRules && known.last === rule)) return known;
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
  /** Begun on first use: few roles are ever checked. */
  private byName: NameIndex | undefined;
  /** The rule that was added last. */
  last: PolicyRule | undefined;

  add(rule: PolicyRule): void {
    this.last = rule;
    if (rule.resourceNames.length === 0) this.ofAll.push(rule);
    else this.ofSome.push(rule);
  }

  allow(info: RequestInfo): boolean {
    if (this.ofAll.some((rule) => allowsVerb(rule, info))) return true;
    if (this.ofSome.length === 0) return false;
    return (this.byName ??= new NameIndex()).find(this.ofSome, info.name, (rule) => allowsVerb(rule, info));
  }
}

/** Names that a question adds to the index, which takes a millisecond or two. */
const namesOfStep = 4_000;

/**
 * Rules by the names in them. A role may have a hundred thousand: each question adds some more to the index, and looks
 * through those that are not there yet.
 */
class NameIndex {
  private readonly rules = new Map<string, PolicyRule | PolicyRule[]>();
  /** The rule, and the name in it, from which on names are not in the index. */
  private rule = 0;
  private name = 0;

  /** Whether a rule with this name fulfils the condition. */
  find(list: readonly PolicyRule[], name: string, fulfils: (rule: PolicyRule) => boolean): boolean {
    this.grow(list);
    const known = this.rules.get(name);
    if (Array.isArray(known) ? known.some(fulfils) : known !== undefined && fulfils(known)) return true;
    for (let i = this.rule; i < list.length; i += 1) {
      const rule = list[i];
      if (rule?.resourceNames.includes(name, i === this.rule ? this.name : 0) === true && fulfils(rule))
        return true;
    }
    return false;
  }

  private grow(list: readonly PolicyRule[]): void {
    for (let left = namesOfStep; left > 0 && this.rule < list.length; left -= 1) {
      const rule = list[this.rule];
      const name = rule?.resourceNames[this.name];
      if (rule !== undefined && name !== undefined) {
        this.add(name, rule);
        this.name += 1;
      } else {
        this.rule += 1;
        this.name = 0;
      }
    }
  }

  private add(name: string, rule: PolicyRule): void {
    const known = this.rules.get(name);
    if (known === undefined) this.rules.set(name, rule);
    else if (Array.isArray(known)) known.push(rule);
    else if (known !== rule) this.rules.set(name, [known, rule]);
  }
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
