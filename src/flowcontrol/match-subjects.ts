/** Whom the rules of a flow schema are about. */
import type { Subject } from '../api/flowcontrol/v1beta1.types.ts';
import type { UserInfo } from '../meta/user.ts';

const all = '*';

/** A user as subjects are compared with it: thousands of groups may be compared with thousands. */
export interface SubjectUser {
  readonly name: string;
  readonly groups: ReadonlySet<string>;
}

export function subjectUser({ name, groups }: UserInfo): SubjectUser {
  return { name, groups: new Set(groups) };
}

/** True if one of the subjects is this user: by name, by group, or as a service account. */
export function matchesSubject(subjects: readonly Subject[], user: SubjectUser): boolean {
  return subjects.some((subject) => fits(subject, user));
}

function fits({ kind, user: named, group, serviceAccount }: Subject, { name, groups }: SubjectUser): boolean {
  if (kind === 'User') return named?.name === all || named?.name === name;
  if (kind === 'Group') return group?.name === all || (group?.name !== undefined && groups.has(group.name));
  return kind === 'ServiceAccount' && isAccount(name, serviceAccount);
}

function isAccount(user: string, account: Subject['serviceAccount']): boolean {
  if (account?.namespace === undefined || account.name === undefined) return false;
  const home = `system:serviceaccount:${account.namespace}:`;
  return account.name === all
    ? user.startsWith(home) && user.length > home.length
    : user === home + account.name;
}
