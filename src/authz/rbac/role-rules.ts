/** The rules of one role, indexed by resource: a decision checks many roles, most of which have no matching rule. */
import type { RequestInfo } from '../../meta/request-info.ts';
import { NameIndex } from './name-index.ts';
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
    const { resources, nonResourceURLs } = rule;
    this.weight += weightOf(rule);
    if (nonResourceURLs.length > 0) this.ofPaths.push(rule);
    for (let i = 0; i < resources.length; i += 1) {
      const resource = resources[i] ?? '';
      this.byResource.set(resource, withRule(this.byResource.get(resource), rule));
      if (i % resourcesOfStep === resourcesOfStep - 1) yield;
    }
  }
}

/** Letters of verbs and API groups that count as one item: what tells rules from others is a text of them all. */
const lettersOfItem = 64;

function weightOf({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): number {
  let letters = 0;
  for (const list of [verbs, apiGroups]) for (const { length } of list) letters += length;
  const items = [verbs, apiGroups, resources, resourceNames, nonResourceURLs];
  return items.reduce((sum, { length }) => sum + length, 1 + letters / lettersOfItem);
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
  private ofSome: NameIndex<PolicyRule> | undefined;
  private answers: KeptAnswers | undefined;
  private count = 0;
  /** The rule that was added last. */
  last: PolicyRule | undefined;

  add(rule: PolicyRule): void {
    this.last = rule;
    this.answers = undefined;
    this.count += 1;
    if (rule.resourceNames.length === 0) this.ofAll.push(rule);
    else (this.ofSome ??= new NameIndex()).add({ owner: rule, names: rule.resourceNames });
  }

  allow(info: RequestInfo): boolean {
    if (this.count <= fewRules) return this.ofAllAllow(info) || this.ofSomeAllow(info);
    const { verb, apiGroup, name } = info;
    const answers = (this.answers ??= new KeptAnswers(this.count / rulesOfAnswer));
    const ofAll = answers.of([verb, apiGroup], () => this.ofAllAllow(info));
    if (ofAll || !this.ofSome) return ofAll;
    return answers.of([verb, apiGroup, name], () => this.ofSomeAllow(info));
  }

  private ofAllAllow(info: RequestInfo): boolean {
    return this.ofAll.some((rule) => allowsVerb(rule, info));
  }

  private ofSomeAllow(info: RequestInfo): boolean {
    return this.ofSome?.find(info.name, (rule) => allowsVerb(rule, info)) !== undefined;
  }
}

/** So many are looked through for each question. */
const fewRules = 16;

/** An answer is kept for so many rules: all together take no more memory than the rules. */
const rulesOfAnswer = 8;

/** Longer questions are not kept. */
const mostLetters = 256;

/** Answers of rules that do not change: a role may have tens of thousands about one resource, and each request asks the same. */
class KeptAnswers {
  private readonly kept = new Map<string, boolean>();
  private readonly most: number;

  constructor(most: number) {
    this.most = most;
  }

  of(question: readonly string[], answer: () => boolean): boolean {
    const key = JSON.stringify(question);
    const known = this.kept.get(key);
    if (known !== undefined) return known;
    const found = answer();
    if (key.length > mostLetters) return found;
    if (this.kept.size >= this.most) this.kept.clear();
    this.kept.set(key, found);
    return found;
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
