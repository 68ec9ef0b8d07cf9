/**
 * The ways in which a user may act as another (KEP-5284). The constrained ones need two permissions: to be that user, by the verb
 * `impersonate:<mode>`, and to do as that user what is asked, by `impersonate-on:<mode>:<verb>`. The last one is as old as
 * impersonation: who has the verb `impersonate` may do everything as that user.
 *
 *   associated-node  a service account whose token names the node of its pod, that node
 *   arbitrary-node   any node
 *   serviceaccount   a service account
 *   user-info        everybody else, with groups, UID and extra
 *   legacy           anybody
 */
import type { RequestInfo } from '../../../meta/request-info.ts';
import {
  accountGroups,
  anonymousUser,
  groupAuthenticated,
  groupNodes,
  groupUnauthenticated,
  type UserInfo,
} from '../../../meta/user.ts';
import { accountIn, checksOf, nodeIn, type Check } from './checks.ts';
import type { WantedUser } from './wanted-user.ts';

export const modeNames = [
  'associated-node',
  'arbitrary-node',
  'serviceaccount',
  'user-info',
  'legacy',
] as const;

export type ModeName = (typeof modeNames)[number];

/** What is asked, by whom, and as whom. */
export interface Attempt {
  readonly wanted: WantedUser;
  readonly requester: UserInfo;
  readonly info: RequestInfo;
}

/** The names that the naming profile has for attributes of users. */
export interface AttributeNames {
  /** The API group of user attributes. */
  readonly group: string;
  /** Extra of tokens of pods: the node. */
  readonly nodeName: string;
  /** Extra that authorizers see in place of those of an associated account. */
  readonly associatedNodeKeys: string;
}

/** What a mode asks the authorizer. */
export interface Plan {
  /** For whom it is asked. */
  readonly requester: UserInfo;
  readonly checks: readonly Check[];
  /** The verb that the audit event names; '' for the old mode. */
  readonly constraint: string;
}

/** What a mode asks; undefined: it is none for such a user. */
export function planOf(mode: ModeName, attempt: Attempt, names: AttributeNames): Plan | undefined {
  const { wanted, requester, info } = attempt;
  const as = { group: names.group, path: info.path };
  if (mode === 'legacy') {
    const checks = checksOf(wanted, { ...as, verb: 'impersonate', isConstrained: false });
    return { requester, checks, constraint: '' };
  }
  if (!isFor[mode](attempt, names)) return undefined;
  const constraint = `impersonate:${mode}`;
  const acts: Check = { info: { ...info, verb: `impersonate-on:${mode}:${info.verb}` } };
  const is = checksOf(wanted, { ...as, verb: constraint, isConstrained: true });
  if (mode !== 'associated-node') return { requester, checks: [acts, ...is], constraint };
  // One permission for all nodes: every pod of an account has another one.
  const anyNode = is.map((check) => ({ ...check, info: { ...check.info, name: '*' } }));
  return { requester: withoutExtra(requester, names), checks: [acts, ...anyNode], constraint };
}

const isFor: Readonly<
  Record<Exclude<ModeName, 'legacy'>, (attempt: Attempt, names: AttributeNames) => boolean>
> = {
  'associated-node': ({ wanted, requester }, { nodeName }) => {
    const node = hasNameOnly(wanted) ? nodeIn(wanted.name) : undefined;
    const [own, ...others] = requester.extra[nodeName] ?? [];
    return (
      node !== undefined && accountIn(requester.name) !== undefined && own === node && others.length === 0
    );
  },
  'arbitrary-node': ({ wanted }) => hasNameOnly(wanted) && nodeIn(wanted.name) !== undefined,
  serviceaccount: ({ wanted }) => hasNameOnly(wanted) && accountIn(wanted.name) !== undefined,
  'user-info': ({ wanted: { name } }) => nodeIn(name) === undefined && accountIn(name) === undefined,
};

function hasNameOnly({ uid, groups, extra }: WantedUser): boolean {
  return uid === '' && groups.length === 0 && Object.keys(extra).length === 0;
}

function withoutExtra(user: UserInfo, { associatedNodeKeys }: AttributeNames): UserInfo {
  return { ...user, extra: { [associatedNodeKeys]: Object.keys(user.extra).sort() } };
}

/**
 * The user that a request becomes. A service account without groups gets those of service accounts, a node that of nodes where a
 * constrained mode allowed it; every user is in system:authenticated or system:unauthenticated.
 */
export function userOf({ name, uid, groups, extra }: WantedUser, constraint: string): UserInfo {
  const account = groups.length === 0 ? accountIn(name) : undefined;
  const isNode = constraint !== '' && nodeIn(name) !== undefined;
  const given = account ? accountGroups(account.namespace) : isNode ? [groupNodes] : groups;
  const own = name === anonymousUser.name ? groupUnauthenticated : groupAuthenticated;
  const isSaid = given.includes(own) || given.includes(groupUnauthenticated);
  return { name, uid, groups: isSaid ? given : [...given, own], extra };
}
