/** ABAC mode (`--authorization-mode=ABAC`): policies of a file, each of which allows something to a user or a group; none denies. */
import type { RequestInfo } from '../../meta/request-info.ts';
import type { UserInfo } from '../../meta/user.ts';
import type { PolicyRule } from '../rbac/policy-rule.ts';
import type { AuthorizerDecision, RuleAuthorizer } from '../types.ts';

/** `spec` of a Policy of `abac.authorization.<domain>/v1beta1`. `*` stands for all; what is not said is ''. */
export interface AbacPolicy {
  readonly user: string;
  readonly group: string;
  /** It allows get, list and watch only. */
  readonly readonly: boolean;
  readonly apiGroup: string;
  readonly resource: string;
  /** `*` also stands for no namespace. */
  readonly namespace: string;
  readonly nonResourcePath: string;
}

const all = '*';
const readVerbs = ['get', 'list', 'watch'];
const allowed: AuthorizerDecision = { decision: 'allow', reason: '' };
const unmatched: AuthorizerDecision = { decision: 'noOpinion', reason: 'No policy matched.' };

export function createAbacAuthorizer(policies: readonly AbacPolicy[]): RuleAuthorizer {
  const subjects = new PolicySubjects(policies);
  return {
    authorize: ({ user, info }) => (subjects.allow(user, info) ? allowed : unmatched),
    rulesFor: (user, namespace) => {
      const own = subjects.of(user).filter((policy) => covers(policy.namespace, namespace));
      return {
        resourceRules: own.filter(({ resource }) => resource !== '').map(resourceRule),
        nonResourceRules: own.filter(({ nonResourcePath }) => nonResourcePath !== '').map(pathRule),
        problems: [],
      };
    },
  };
}

type ResourceTarget = Pick<AbacPolicy, 'resource' | 'apiGroup' | 'namespace'>;

/** What policies allow of one thing: reading it, or every verb. */
type Extent = 'read' | 'all';

/** The policies of one subject, by what a request is about: a file may have a hundred thousand for everybody. */
class PolicyTargets {
  readonly list: readonly AbacPolicy[];
  private readonly resources: ReadonlyMap<string, Extent>;
  private readonly paths: ReadonlyMap<string, Extent>;
  /** By the text before the `*`. */
  private readonly prefixes: ReadonlyMap<string, Extent>;
  private readonly prefixLengths: readonly number[];

  constructor(list: readonly AbacPolicy[]) {
    this.list = list;
    this.resources = extentsBy(list, resourceKey);
    const ofPaths = list.filter(({ nonResourcePath }) => nonResourcePath !== '');
    const [patterns, paths] = [true, false].map((isPattern) =>
      ofPaths.filter(({ nonResourcePath }) => nonResourcePath.endsWith(all) === isPattern),
    ) as [AbacPolicy[], AbacPolicy[]];
    this.paths = extentsBy(paths, ({ nonResourcePath }) => nonResourcePath);
    this.prefixes = extentsBy(patterns, ({ nonResourcePath }) => nonResourcePath.slice(0, -1));
    this.prefixLengths = [...new Set([...this.prefixes.keys()].map(({ length }) => length))];
  }

  allow(info: RequestInfo): boolean {
    const isRead = readVerbs.includes(info.verb);
    const isEnough = (extent: Extent | undefined): boolean =>
      extent === 'all' || (extent === 'read' && isRead);
    return info.isResourceRequest ? this.hasResource(info, isEnough) : this.hasPath(info.path, isEnough);
  }

  private hasResource(
    { resource, apiGroup, namespace }: RequestInfo,
    isEnough: (extent: Extent | undefined) => boolean,
  ): boolean {
    return [resource, all].some((ofResource) =>
      [apiGroup, all].some((ofGroup) =>
        [namespace, all].some((ofNamespace) =>
          isEnough(
            this.resources.get(
              resourceKey({ resource: ofResource, apiGroup: ofGroup, namespace: ofNamespace }),
            ),
          ),
        ),
      ),
    );
  }

  private hasPath(path: string, isEnough: (extent: Extent | undefined) => boolean): boolean {
    if (isEnough(this.paths.get(path))) return true;
    for (const length of this.prefixLengths)
      if (length <= path.length && isEnough(this.prefixes.get(path.slice(0, length)))) return true;
    return false;
  }
}

/** Most users of a long file have nothing of a kind. */
const nothing: ReadonlyMap<string, Extent> = new Map();

/** By what `keyOf` gives: the most that any of the policies allows. */
function extentsBy(
  policies: readonly AbacPolicy[],
  keyOf: (policy: AbacPolicy) => string,
): ReadonlyMap<string, Extent> {
  if (policies.length === 0) return nothing;
  const extents = new Map<string, Extent>();
  for (const policy of policies) {
    const key = keyOf(policy);
    if (!policy.readonly) extents.set(key, 'all');
    else if (!extents.has(key)) extents.set(key, 'read');
  }
  return extents;
}

/** One text for three, whatever characters they have. */
function resourceKey({ resource, apiGroup, namespace }: ResourceTarget): string {
  return `${String(resource.length)} ${String(apiGroup.length)} ${resource}${apiGroup}${namespace}`;
}

/** Policies by user, by group, and by both where they name both: a request looks only at those of its user. */
class PolicySubjects {
  private readonly users: ReadonlyMap<string, PolicyTargets>;
  private readonly groups: ReadonlyMap<string, PolicyTargets>;
  /** By user, then by group. */
  private readonly usersIn: ReadonlyMap<string, ReadonlyMap<string, PolicyTargets>>;

  constructor(policies: readonly AbacPolicy[]) {
    const ofUsers = policies.filter(({ user }) => user !== '');
    const alone = ofUsers.filter(({ group }) => group === '');
    const inGroup = Map.groupBy(
      ofUsers.filter(({ group }) => group !== ''),
      ({ user }) => user,
    );
    this.users = targetsBy(alone, ({ user }) => user);
    this.groups = targetsBy(
      policies.filter(({ user, group }) => user === '' && group !== ''),
      ({ group }) => group,
    );
    this.usersIn = new Map([...inGroup].map(([user, list]) => [user, targetsBy(list, ({ group }) => group)]));
  }

  allow(user: UserInfo, info: RequestInfo): boolean {
    return this.targetsOf(user).some((targets) => targets.allow(info));
  }

  /** The policies of a user. */
  of(user: UserInfo): AbacPolicy[] {
    return this.targetsOf(user).flatMap(({ list }) => list);
  }

  private targetsOf({ name, groups }: UserInfo): PolicyTargets[] {
    const inGroup = this.usersIn.get(name);
    return [
      this.users.get(name) ?? [],
      inGroup ? groups.map((group) => inGroup.get(group) ?? []) : [],
      groups.map((group) => this.groups.get(group) ?? []),
    ].flat(2);
  }
}

function targetsBy(
  policies: readonly AbacPolicy[],
  subject: (policy: AbacPolicy) => string,
): Map<string, PolicyTargets> {
  const lists = [...Map.groupBy(policies, subject)];
  return new Map(lists.map(([name, list]) => [name, new PolicyTargets(list)]));
}

function covers(of: string, asked: string): boolean {
  return of === all || of === asked;
}

const none = { apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] };

function verbsOf(policy: AbacPolicy): readonly string[] {
  return policy.readonly ? readVerbs : [all];
}

function resourceRule(policy: AbacPolicy): PolicyRule {
  const { apiGroup, resource } = policy;
  return { ...none, verbs: verbsOf(policy), apiGroups: [apiGroup], resources: [resource] };
}

function pathRule(policy: AbacPolicy): PolicyRule {
  return { ...none, verbs: verbsOf(policy), nonResourceURLs: [policy.nonResourcePath] };
}
