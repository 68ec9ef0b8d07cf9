/** ABAC mode (`--authorization-mode=ABAC`): policies of a file, each of which allows something to a user or a group; none denies. */
import type { RequestInfo } from '../../meta/request-info.ts';
import type { UserInfo } from '../../meta/user.ts';
import { coversPath, type PolicyRule } from '../rbac/policy-rule.ts';
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

/** The policies of one user or group, by what a request is about: a file may have thousands for everybody. */
class PolicyTargets {
  readonly list: readonly AbacPolicy[];
  /** By resource, `*` among them. */
  private readonly byResource: ReadonlyMap<string, readonly AbacPolicy[]>;
  private readonly ofPaths: readonly AbacPolicy[];

  constructor(list: readonly AbacPolicy[]) {
    this.list = list;
    this.byResource = Map.groupBy(list, ({ resource }) => resource);
    this.ofPaths = list.filter(({ nonResourcePath }) => nonResourcePath !== '');
  }

  /** Whether a policy allows it; one that names user and group needs both. */
  allow(info: RequestInfo, groups: readonly string[]): boolean {
    const isAllowing = (policy: AbacPolicy): boolean => isOf(policy, groups) && allows(policy, info);
    if (!info.isResourceRequest) return this.ofPaths.some(isAllowing);
    return [info.resource, all].some((name) => this.byResource.get(name)?.some(isAllowing) === true);
  }
}

/** Policies by user and by group: a request looks only at those of its user. */
class PolicySubjects {
  private readonly users: ReadonlyMap<string, PolicyTargets>;
  private readonly groups: ReadonlyMap<string, PolicyTargets>;

  constructor(policies: readonly AbacPolicy[]) {
    this.users = targetsBy(
      policies.filter(({ user }) => user !== ''),
      ({ user }) => user,
    );
    this.groups = targetsBy(
      policies.filter(({ user, group }) => user === '' && group !== ''),
      ({ group }) => group,
    );
  }

  allow({ name, groups }: UserInfo, info: RequestInfo): boolean {
    if (this.users.get(name)?.allow(info, groups) === true) return true;
    return groups.some((group) => this.groups.get(group)?.allow(info, groups) === true);
  }

  /** The policies of a user. */
  of({ name, groups }: UserInfo): AbacPolicy[] {
    const ofUser = (this.users.get(name)?.list ?? []).filter((policy) => isOf(policy, groups));
    return [...ofUser, ...groups.flatMap((group) => this.groups.get(group)?.list ?? [])];
  }
}

function targetsBy(
  policies: readonly AbacPolicy[],
  subject: (policy: AbacPolicy) => string,
): Map<string, PolicyTargets> {
  const lists = [...Map.groupBy(policies, subject)];
  return new Map(lists.map(([name, list]) => [name, new PolicyTargets(list)]));
}

function isOf({ group, user }: AbacPolicy, groups: readonly string[]): boolean {
  return user === '' || group === '' || groups.includes(group);
}

function allows(policy: AbacPolicy, info: RequestInfo): boolean {
  if (policy.readonly && !readVerbs.includes(info.verb)) return false;
  if (!info.isResourceRequest) return coversPath(policy.nonResourcePath, info.path);
  return (
    covers(policy.namespace, info.namespace) &&
    covers(policy.resource, info.resource) &&
    covers(policy.apiGroup, info.apiGroup)
  );
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
