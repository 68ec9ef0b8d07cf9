/** Flow schemas by their subjects: of thousands, few are about one user. */
import type { Subject } from '../api/flowcontrol/v1beta1.types.ts';
import type { Steps } from '../base/sliced-work.ts';
import type { UserInfo } from '../meta/user.ts';
import type { Flow, SubjectRules } from './flow-schema.ts';
import { subjectUser } from './match-subjects.ts';

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

  /** Adds one that comes after all others, a subject in each step: there may be tens of thousands. */
  *add(flow: Flow): Steps {
    const place = this.#flows.push(flow) - 1;
    for (const subject of flow.subjects()) {
      yield;
      this.#note(subject, place);
    }
  }

  /** What of their rules is about a user, in order of precedence. */
  rulesFor(user: UserInfo): SubjectRules[] {
    const places = new Set(this.#ofAll);
    for (const place of this.#users.get(user.name) ?? []) places.add(place);
    for (const group of user.groups) for (const place of this.#groups.get(group) ?? []) places.add(place);
    for (const place of this.#homes.get(homeOf(user.name) ?? '') ?? []) places.add(place);
    const subject = subjectUser(user);
    return [...places].sort((a, b) => a - b).flatMap((place) => this.#flows[place]?.rulesFor(subject) ?? []);
  }

  /** Notes a place where the subject is looked for; a subject without a name matches no user. */
  #note({ kind, user, group, serviceAccount }: Subject, place: number): void {
    if (kind === 'User') this.#noteName(this.#users, user?.name, place);
    if (kind === 'Group') this.#noteName(this.#groups, group?.name, place);
    const { namespace, name } = serviceAccount ?? {};
    if (kind !== 'ServiceAccount' || namespace === undefined || name === undefined) return;
    if (name !== all) noteIn(this.#users, `${accountPrefix}${namespace}:${name}`, place);
    // No namespace has a colon or no name; another writer may have stored it.
    else if (/^[^:]+$/.test(namespace)) noteIn(this.#homes, namespace, place);
    else noteAt(this.#ofAll, place);
  }

  #noteName(lists: Map<string, Places>, name: string | undefined, place: number): void {
    if (name === all) noteAt(this.#ofAll, place);
    else if (name !== undefined) noteIn(lists, name, place);
  }
}

/** Namespace of a service account. */
function homeOf(name: string): string | undefined {
  if (!name.startsWith(accountPrefix)) return undefined;
  const end = name.indexOf(':', accountPrefix.length);
  return end < 0 ? undefined : name.slice(accountPrefix.length, end);
}

function noteIn(lists: Map<string, Places>, name: string, place: number): void {
  const places = lists.get(name);
  // Most lists stay at one: one that was made empty would have room for many.
  if (places) noteAt(places, place);
  else lists.set(name, [place]);
}

function noteAt(places: Places, place: number): void {
  if (places.at(-1) !== place) places.push(place);
}
