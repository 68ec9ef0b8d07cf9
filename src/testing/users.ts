/** Users of a control plane, known by tokens. */
import type { StaticToken } from '../authn/token-file.ts';
import { anything, judgeOptions } from './judge.ts';
import { later } from './later.ts';
import type { ControlPlaneUser } from './options.ts';

/** Who may do everything. */
export const administrator = 'admin';

/** A text is no list, though it has parts. */
export function isListOfNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

/** What the service knows them by. Every user has a token, which lasts as long as the control plane. */
export class Users {
  readonly #tokens: Map<string, StaticToken>;

  constructor(tokens: Iterable<readonly [string, StaticToken]> = []) {
    this.#tokens = new Map(tokens);
  }

  /** @throws TypeError for a name or groups that cannot be used */
  add(user: ControlPlaneUser): StaticToken {
    judgeOptions('a user', user, { name: anything, groups: anything });
    const { name, groups = [] } = user;
    if (typeof name !== 'string' || name === '') throw new TypeError('a user needs a name');
    if (!isListOfNames(groups)) throw new TypeError(`groups of user ${name}: give a list of names`);
    if (name === administrator)
      throw new TypeError(`${name} is the administrator: give the user another name`);
    const token = later.crypto.randomBytes(24).toString('base64url');
    const known = { token, user: { name, uid: '', groups: [...groups], extra: {} } };
    this.#tokens.set(name, known);
    return known;
  }

  get(name: string): StaticToken | undefined {
    return this.#tokens.get(name);
  }

  /** The same users, to which others may be added. */
  copy(): Users {
    return new Users(this.#tokens);
  }

  all(): readonly StaticToken[] {
    return [...this.#tokens.values()];
  }
}
