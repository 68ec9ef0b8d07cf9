/** UserInfo: the user that makes a request (Kubernetes documentation, "Authenticating"). */
export interface UserInfo {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

export const groupAuthenticated = 'system:authenticated';
export const groupUnauthenticated = 'system:unauthenticated';
export const groupMasters = 'system:masters';

export const groupNodes = 'system:nodes';
const nodePrefix = 'system:node:';

/** The user of the service's own writes. */
export const serviceUser: UserInfo = { name: 'system:apiserver', uid: '', groups: [groupMasters], extra: {} };

/** The user of a request without credentials. */
export const anonymousUser: UserInfo = {
  name: 'system:anonymous',
  uid: '',
  groups: [groupUnauthenticated],
  extra: {},
};

/** Whether nobody knows who it is: a request without credentials, or one that somebody lets pass for such. */
export function isAnonymous({ name, groups }: UserInfo): boolean {
  return name === anonymousUser.name || groups.includes(groupUnauthenticated);
}

/** The node whose agent a user is; undefined: it is none, '': it is one that does not say which. */
export function nodeOf({ name, groups }: UserInfo): string | undefined {
  return name.startsWith(nodePrefix) && groups.includes(groupNodes)
    ? name.slice(nodePrefix.length)
    : undefined;
}

/** The user name of a service account: `system:serviceaccount:<namespace>:<name>`. */
export function accountUserName(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

export function accountGroups(namespace: string): readonly string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}

/** A service account as authorization knows it when it is not the one who asks. */
export function accountUser(namespace: string, name: string): UserInfo {
  return { name: accountUserName(namespace, name), uid: '', groups: accountGroups(namespace), extra: {} };
}
