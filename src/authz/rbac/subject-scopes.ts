/** Who has which grants, by scope: in the cluster, and in each namespace. */
import type { UserInfo } from '../../meta/user.ts';
import type { Grant } from './policy-objects.ts';
import { SubjectGrants, type RoleSource } from './subject-grants.ts';

/** The grants in one namespace, or in the cluster, by who has them. */
class Subjects {
  readonly users = new Map<string, SubjectGrants>();
  readonly groups = new Map<string, SubjectGrants>();
  private readonly source: RoleSource;

  constructor(source: RoleSource) {
    this.source = source;
  }

  get isEmpty(): boolean {
    return this.users.size === 0 && this.groups.size === 0;
  }

  add(grant: Grant): void {
    const subjects = this.of(grant);
    let grants = subjects.get(grant.subject);
    if (!grants) subjects.set(grant.subject, (grants = new SubjectGrants(this.source)));
    grants.add(grant);
  }

  remove(grant: Grant): void {
    const subjects = this.of(grant);
    const grants = subjects.get(grant.subject);
    grants?.remove(grant);
    if (grants?.isEmpty === true) subjects.delete(grant.subject);
  }

  private of({ type }: Grant): Map<string, SubjectGrants> {
    return type === 'User' ? this.users : this.groups;
  }
}

export class SubjectScopes {
  readonly #source: RoleSource;
  /** By namespace, '' for the cluster. */
  readonly #scopes = new Map<string, Subjects>();

  constructor(source: RoleSource) {
    this.#source = source;
  }

  add(grant: Grant): void {
    let scope = this.#scopes.get(grant.namespace);
    if (!scope) this.#scopes.set(grant.namespace, (scope = new Subjects(this.#source)));
    scope.add(grant);
  }

  remove(grant: Grant): void {
    const scope = this.#scopes.get(grant.namespace);
    scope?.remove(grant);
    if (scope?.isEmpty === true) this.#scopes.delete(grant.namespace);
  }

  /** The grants of a user and of its groups in the cluster, then in the namespace ('' for none). */
  *of(user: UserInfo, namespace: string): Generator<SubjectGrants> {
    yield* this.#in('', user);
    if (namespace !== '') yield* this.#in(namespace, user);
  }

  *#in(scope: string, { name, groups }: UserInfo): Generator<SubjectGrants> {
    const subjects = this.#scopes.get(scope);
    if (!subjects) return;
    const own = subjects.users.get(name);
    if (own) yield own;
    for (const group of groups) {
      const given = subjects.groups.get(group);
      if (given) yield given;
    }
  }
}
