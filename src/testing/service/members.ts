/** What bodies of the paths may have: a member with another name is a mistake, not passed over. */
import { badRequest } from '../../meta/status.ts';
import type { Body } from './action.ts';

const members: Readonly<Record<string, readonly string[]>> = {
  restore: ['snapshot'],
  fork: ['snapshot', 'port', 'advertisePort'],
  clock: ['advance'],
  settled: ['timeoutMs'],
  users: ['name', 'groups'],
  'faults/end': ['fault'],
  'faults/clear': ['seed'],
  save: ['file', 'snapshot', 'managedFields'],
  load: ['file'],
  dump: ['snapshot'],
};
/** Looks at its body itself: orders of faults have members of their own. */
const ownCheck = 'faults';

/** @throws StatusError 400 */
export function checkMembers(path: string, body: Body): void {
  if (path === ownCheck) return;
  const known = Object.hasOwn(members, path) ? (members[path] ?? []) : [];
  const strange = Object.keys(body).find((name) => !known.includes(name));
  if (strange === undefined) return;
  const there = known.length === 0 ? 'there are none' : `members are ${known.join(', ')}`;
  throw badRequest(`${strange.slice(0, 100)}: there is no such member; ${there}`);
}
