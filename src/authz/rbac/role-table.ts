/** The rules of all roles, and who follows their changes. */
import { decodeStored, hasStoredHead } from '../../codec/stored.ts';
import type { ObjectKey } from '../../storage/types.ts';
import type { RoleId } from './granted-rules.ts';
import type { Grant } from './policy-objects.ts';
import { readRules } from './policy-rule.ts';
import { RoleRules } from './role-rules.ts';
import { clusterRoleId, namespacedRoleId, type RoleFollower, type RoleSource } from './subject-grants.ts';

type RolePlural = 'roles' | 'clusterroles';

/** A stored role that nobody has asked for: of those with which a service begins most never are. */
class UnreadRole {
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  read(): RoleRules {
    return new RoleRules(readRules(decodeStored(this.bytes)['rules']));
  }
}

/** One question may ask for all of them, and reading each takes a few microseconds. */
const mostUnread = 200;

export class RoleTable implements RoleSource {
  private readonly rules = {
    clusterroles: new Map<ObjectKey, RoleRules | UnreadRole>(),
    roles: new Map<ObjectKey, RoleRules | UnreadRole>(),
  };
  private unread = 0;
  private readonly followers = new Map<RoleId, Set<RoleFollower>>();

  keys(plural: RolePlural): Iterable<ObjectKey> {
    return this.rules[plural].keys();
  }

  get(plural: RolePlural, key: ObjectKey): RoleRules | undefined {
    const held = this.rules[plural].get(key);
    if (!(held instanceof UnreadRole)) return held;
    const rules = held.read();
    this.set(plural, key, rules);
    return rules;
  }

  /** A role that is no ClusterRole is one of a namespace. */
  rulesOfGrant({ roleRef, roleKey }: Grant): RoleRules | undefined {
    return this.get(roleRef.kind === 'ClusterRole' ? 'clusterroles' : 'roles', roleKey);
  }

  put(plural: RolePlural, key: ObjectKey, rules: RoleRules): void {
    this.set(plural, key, rules);
    this.tell(idOf(plural, key));
  }

  /**
   * A small role as it is stored, which is read when it is first asked for, if not too many are to be.
   * @throws DecodeError for what is no object
   */
  putStored(plural: RolePlural, key: ObjectKey, bytes: Buffer): void {
    const role = new UnreadRole(bytes);
    // What another program has stored is read at once, and refused if it is no object.
    this.set(plural, key, this.unread >= mostUnread || !hasStoredHead(bytes) ? role.read() : role);
    this.tell(idOf(plural, key));
  }

  remove(plural: RolePlural, key: ObjectKey): void {
    this.set(plural, key, undefined);
    this.tell(idOf(plural, key));
  }

  private set(plural: RolePlural, key: ObjectKey, held: RoleRules | UnreadRole | undefined): void {
    const rules = this.rules[plural];
    if (rules.get(key) instanceof UnreadRole) this.unread -= 1;
    if (held instanceof UnreadRole) this.unread += 1;
    if (held === undefined) rules.delete(key);
    else rules.set(key, held);
  }

  follow(role: RoleId, follower: RoleFollower): void {
    const followers = this.followers.get(role);
    if (followers) followers.add(follower);
    else this.followers.set(role, new Set([follower]));
  }

  unfollow(role: RoleId, follower: RoleFollower): void {
    const followers = this.followers.get(role);
    followers?.delete(follower);
    if (followers?.size === 0) this.followers.delete(role);
  }

  private tell(role: RoleId): void {
    for (const follower of this.followers.get(role) ?? []) follower.noteChange(role);
  }
}

function idOf(plural: RolePlural, key: ObjectKey): RoleId {
  return plural === 'clusterroles' ? clusterRoleId(key) : namespacedRoleId(key);
}
