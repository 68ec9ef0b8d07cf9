/** Flow schemas by their subjects: of thousands, few are about one user. */
import type { Subject } from '../api/flowcontrol/v1beta1.types.ts';
import type { UserInfo } from '../meta/user.ts';
import type { Flow, SubjectRules } from './flow-schema.ts';

const all = '*';
const accountPrefix = 'system:serviceaccount:';

/** Places in the order of precedence, ascending. */
type Places = number[];

export class SchemaIndex {
  /** In order of precedence. */
  readonly #flows: Flow[] = [];
  /** About everybody, or about subjects that no other list has. */
  readonly #ofAll: Places = [];
  readonly #users = new Map<string, Places>();
  readonly #groups = new Map<string, Places>();
  /** Those about all service accounts of a namespace. */
  readonly #homes = new Map<string, Places>();

  /** Adds one that comes after all others. */
  add(flow: Flow): void {
    const place = this.#flows.push(flow) - 1;
    for (const subject of flow.subjects()) {
      const places = this.#placesOf(subject);
      if (places && places.at(-1) !== place) places.push(place);
    }
  }

  /** What of their rules is about a user, in order of precedence. */
  rulesFor(user: UserInfo): SubjectRules[] {
    const places = new Set(this.#ofAll);
    for (const place of this.#users.get(user.name) ?? []) places.add(place);
    for (const group of user.groups) for (const place of this.#groups.get(group) ?? []) places.add(place);
    for (const place of this.#homes.get(homeOf(user.name) ?? '') ?? []) places.add(place);
    return [...places].sort((a, b) => a - b).flatMap((place) => this.#flows[place]?.rulesFor(user) ?? []);
  }

  /** Where a subject is looked for; undefined: it is nobody. */
  #placesOf({ kind, user, group, serviceAccount }: Subject): Places | undefined {
    if (kind === 'User') return this.#named(this.#users, user?.name);
    if (kind === 'Group') return this.#named(this.#groups, group?.name);
    const { namespace, name } = serviceAccount ?? {};
    if (kind !== 'ServiceAccount' || namespace === undefined || name === undefined) return undefined;
    if (name !== all) return listOf(this.#users, `${accountPrefix}${namespace}:${name}`);
    // No namespace has a colon or no name; another writer may have stored it.
    return /^[^:]+$/.test(namespace) ? listOf(this.#homes, namespace) : this.#ofAll;
  }

  #named(lists: Map<string, Places>, name: string | undefined): Places | undefined {
    if (name === all) return this.#ofAll;
    return name === undefined ? undefined : listOf(lists, name);
  }
}

/** Namespace of a service account. */
function homeOf(name: string): string | undefined {
  if (!name.startsWith(accountPrefix)) return undefined;
  const end = name.indexOf(':', accountPrefix.length);
  return end < 0 ? undefined : name.slice(accountPrefix.length, end);
}

function listOf(lists: Map<string, Places>, name: string): Places {
  let places = lists.get(name);
  if (!places) lists.set(name, (places = []));
  return places;
}
