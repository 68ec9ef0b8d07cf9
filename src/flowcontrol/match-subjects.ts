/** Whom the rules of a flow schema are about. */
import type { Subject } from '../api/flowcontrol/v1beta1.types.ts';
import type { UserInfo } from '../meta/user.ts';

const all = '*';

/** True if one of the subjects is this user: by name, by group, or as a service account. */
export function matchesSubject(subjects: readonly Subject[], user: UserInfo): boolean {
  return subjects.some((subject) => fits(subject, user));
}

function fits({ kind, user: named, group, serviceAccount }: Subject, { name, groups }: UserInfo): boolean {
  if (kind === 'User') return named?.name === all || named?.name === name;
  if (kind === 'Group')
    return group?.name === all || (group?.name !== undefined && groups.includes(group.name));
  return kind === 'ServiceAccount' && isAccount(name, serviceAccount);
}

function isAccount(user: string, account: Subject['serviceAccount']): boolean {
  if (account?.namespace === undefined || account.name === undefined) return false;
  const home = `system:serviceaccount:${account.namespace}:`;
  return account.name === all
    ? user.startsWith(home) && user.length > home.length
    : user === home + account.name;
}
