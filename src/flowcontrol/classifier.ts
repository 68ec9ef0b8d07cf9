/**
 * Which flow schema a request belongs to: the first that matches, by precedence and then by name. The schemas that
 * match a user are cached per user; after that, only their rules are checked.
 */
import { LRUCache } from 'lru-cache';
import type { RequestInfo } from '../meta/request-info.ts';
import type { UserInfo } from '../meta/user.ts';
import type { Flow, SubjectRules } from './flow-schema.ts';
import type { SchemaIndex } from './schema-index.ts';

const maxUsers = 4096;
/** Candidates of all users that are remembered: thousands of schemas may be about everybody. */
const maxCandidates = 256 * maxUsers;
/** Users whose name and groups are longer are looked up each time: clients that may impersonate choose their length. */
const maxLength = 4096;

/** By name. */
export type KnownUsers = LRUCache<string, KnownUser>;

interface KnownUser {
  readonly groups: readonly string[];
  readonly candidates: readonly SubjectRules[];
}

/** Room for users, which classifiers pass on. */
export function roomForUsers(): KnownUsers {
  return new LRUCache<string, KnownUser>({
    maxSize: maxCandidates,
    sizeCalculation: ({ candidates }) => Math.max(candidates.length, maxCandidates / maxUsers),
  });
}

export class Classifier {
  private readonly schemas: SchemaIndex;
  private readonly catchAll: Flow;
  private readonly users: KnownUsers;
  private latest: { readonly user: UserInfo; readonly known: KnownUser } | undefined;

  /**
   * @param catchAll takes what none of the schemas matches
   * @param users those of the former classifier, whose room this one takes
   */
  constructor(schemas: SchemaIndex, catchAll: Flow, users: KnownUsers) {
    users.clear();
    this.schemas = schemas;
    this.catchAll = catchAll;
    this.users = users;
  }

  flowOf(user: UserInfo, info: RequestInfo): Flow {
    for (const { flow, resources, paths } of this.candidatesOf(user)) {
      for (const test of info.isResourceRequest ? resources : paths) if (test(info)) return flow;
    }
    return this.catchAll;
  }

  /** Requests of one client come together, and share the user object. */
  private candidatesOf(user: UserInfo): readonly SubjectRules[] {
    if (this.latest?.user !== user) this.latest = { user, known: this.lookUp(user) };
    return this.latest.known.candidates;
  }

  private lookUp(user: UserInfo): KnownUser {
    const known = this.users.get(user.name);
    if (known && sameTexts(known.groups, user.groups)) return known;
    const candidates = this.schemas.rulesFor(user);
    const next = { groups: user.groups, candidates };
    if (lengthOf(user) <= maxLength) this.users.set(user.name, next);
    return next;
  }
}

function lengthOf({ name, groups }: UserInfo): number {
  return groups.reduce((sum, group) => sum + group.length, name.length);
}

function sameTexts(a: readonly string[], b: readonly string[]): boolean {
  return a === b || (a.length === b.length && a.every((text, i) => text === b[i]));
}
