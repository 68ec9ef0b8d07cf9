/** The rules of all roles, and who follows their changes. */
import type { ObjectKey } from '../../storage/types.ts';
import type { RoleId } from './granted-rules.ts';
import type { Grant } from './policy-objects.ts';
import type { RoleRules } from './role-rules.ts';
import { clusterRoleId, namespacedRoleId, type RoleFollower, type RoleSource } from './subject-grants.ts';

type RolePlural = 'roles' | 'clusterroles';

export class RoleTable implements RoleSource {
  private readonly rules = {
    clusterroles: new Map<ObjectKey, RoleRules>(),
    roles: new Map<ObjectKey, RoleRules>(),
  };
  private readonly followers = new Map<RoleId, Set<RoleFollower>>();

  keys(plural: RolePlural): Iterable<ObjectKey> {
    return this.rules[plural].keys();
  }

  get(plural: RolePlural, key: ObjectKey): RoleRules | undefined {
    return this.rules[plural].get(key);
  }

  /** A role that is no ClusterRole is one of a namespace. */
  rulesOfGrant({ roleRef, roleKey }: Grant): RoleRules | undefined {
    return this.get(roleRef.kind === 'ClusterRole' ? 'clusterroles' : 'roles', roleKey);
  }

  put(plural: RolePlural, key: ObjectKey, rules: RoleRules): void {
    this.rules[plural].set(key, rules);
    this.tell(idOf(plural, key));
  }

  remove(plural: RolePlural, key: ObjectKey): void {
    this.rules[plural].delete(key);
    this.tell(idOf(plural, key));
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
