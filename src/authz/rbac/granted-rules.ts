/**
 * The rules of many roles together, indexed by resource: whoever may bind roles in a namespace may bind thousands to
 * everybody, and each request there would look at all of them. A role that comes, changes or goes touches its own
 * rules only.
 */
import type { RequestInfo } from '../../meta/request-info.ts';
import { NameIndex, type Named } from './name-index.ts';
import type { PolicyRule } from './policy-rule.ts';
import { allowsVerb, resourceKeys, type RoleRules } from './role-rules.ts';

/** A role, as `SubjectGrants` names it. */
export type RoleId = string;

/** Each of them is looked at in a microsecond; to put one of this weight among the others takes a millisecond. */
const largeWeight = 1_000;

/** Whether a role counts. */
type Counts = (role: RoleId) => boolean;

/** What is asked for: `resource` is the request's resource with its subresource. */
export interface RulesQuery {
  readonly info: RequestInfo;
  readonly resource: string;
  readonly counts: Counts;
}

/** The first of the roles that allows it. */
function firstOf(
  roles: ReadonlyMap<RoleId, RoleRules>,
  { info, resource, counts }: RulesQuery,
): RoleId | undefined {
  for (const [role, rules] of roles) if (rules.allows(info, resource) && counts(role)) return role;
  return undefined;
}

function firstThatCounts(roles: Iterable<RoleId>, counts: Counts): RoleId | undefined {
  for (const role of roles) if (counts(role)) return role;
  return undefined;
}

export class GrantedRules {
  /** Bound roles that do not exist. */
  readonly missing = new Set<RoleId>();
  private readonly present = new Map<RoleId, RoleRules>();
  private readonly withPaths = new Map<RoleId, RoleRules>();
  /** Roles with an index of their own that is large: they are looked at one by one. */
  private readonly large = new Map<RoleId, RoleRules>();
  /** By what stands in `resources` of a rule. */
  private readonly byResource = new Map<string, ResourceGrants>();

  /** Adds a role, or replaces its rules. `undefined`: the role does not exist. */
  put(role: RoleId, rules: RoleRules | undefined): void {
    this.remove(role);
    if (!rules) {
      this.missing.add(role);
      return;
    }
    if (rules.weight > largeWeight) {
      this.large.set(role, rules);
      return;
    }
    this.present.set(role, rules);
    if (rules.hasPaths) this.withPaths.set(role, rules);
    for (const { rule, resources, sign } of signed(rules)) {
      for (const resource of resources) {
        let grants = this.byResource.get(resource);
        if (!grants) this.byResource.set(resource, (grants = new ResourceGrants()));
        grants.add(role, rule, sign);
      }
    }
  }

  remove(role: RoleId): void {
    this.missing.delete(role);
    this.withPaths.delete(role);
    this.large.delete(role);
    const rules = this.present.get(role);
    if (!rules) return;
    this.present.delete(role);
    for (const { resources, sign } of signed(rules)) {
      for (const resource of resources) {
        const grants = this.byResource.get(resource);
        grants?.remove(role, sign);
        if (grants?.isEmpty === true) this.byResource.delete(resource);
      }
    }
  }

  /** A role that covers what the request asks for, among those that count. */
  find(query: RulesQuery): RoleId | undefined {
    const { withPaths, large } = this;
    if (!query.info.isResourceRequest) return firstOf(withPaths, query) ?? firstOf(large, query);
    for (const key of resourceKeys(query.info, query.resource)) {
      const role = this.byResource.get(key)?.find(query);
      if (role !== undefined) return role;
    }
    return firstOf(large, query);
  }
}

/** The rules about one resource, by their verbs and API groups: thousands of roles have few that differ. */
class ResourceGrants {
  private readonly bySign = new Map<string, EqualRules>();

  get isEmpty(): boolean {
    return this.bySign.size === 0;
  }

  add(role: RoleId, rule: PolicyRule, sign: string): void {
    let equal = this.bySign.get(sign);
    if (!equal) this.bySign.set(sign, (equal = new EqualRules(rule)));
    equal.add(role, rule.resourceNames);
  }

  remove(role: RoleId, sign: string): void {
    const equal = this.bySign.get(sign);
    equal?.remove(role);
    if (equal?.isEmpty === true) this.bySign.delete(sign);
  }

  find(query: RulesQuery): RoleId | undefined {
    for (const equal of this.bySign.values()) {
      const role = equal.find(query);
      if (role !== undefined) return role;
    }
    return undefined;
  }
}

/** Rules with the same verbs and API groups; those of named objects are looked up by name. */
class EqualRules {
  private readonly rule: PolicyRule;
  private readonly ofAll = new Set<RoleId>();
  private readonly ofSome = new Map<RoleId, Named<RoleId>[]>();
  private byName: NameIndex<RoleId> | undefined;

  constructor(rule: PolicyRule) {
    this.rule = rule;
  }

  get isEmpty(): boolean {
    return this.ofAll.size === 0 && this.ofSome.size === 0;
  }

  add(role: RoleId, names: readonly string[]): void {
    if (names.length === 0) {
      this.ofAll.add(role);
      return;
    }
    const list = { owner: role, names };
    const lists = this.ofSome.get(role);
    if (lists) lists.push(list);
    else this.ofSome.set(role, [list]);
    (this.byName ??= new NameIndex()).add(list);
  }

  /** Removes all rules of a role. */
  remove(role: RoleId): void {
    this.ofAll.delete(role);
    for (const list of this.ofSome.get(role) ?? []) this.byName?.remove(list);
    this.ofSome.delete(role);
  }

  find({ info, counts }: RulesQuery): RoleId | undefined {
    if (!allowsVerb(this.rule, info)) return undefined;
    return firstThatCounts(this.ofAll, counts) ?? this.byName?.find(info.name, counts);
  }
}

/** The rules of a role about resources, each with what tells its verbs and API groups from others. */
function* signed({
  list,
}: RoleRules): Generator<{ rule: PolicyRule; resources: ReadonlySet<string>; sign: string }> {
  for (const rule of list)
    if (rule.resources.length > 0)
      yield { rule, resources: new Set(rule.resources), sign: JSON.stringify([rule.verbs, rule.apiGroups]) };
}
