/**
 * APIServices in the order of discovery (`SortedByGroupAndVersion` of kube-aggregator): a group stands where its first
 * service by priority and name stands, its versions by their priority. Of thousands one changes at a time: it is moved,
 * the others stay where they are.
 */
import { byPreference } from '../custom-resources/version-order.ts';
import type { RegisteredService } from './registered-service.ts';

interface Group {
  /** In order. */
  readonly versions: readonly RegisteredService[];
  /** The first by priority and name, where the group stands. */
  readonly leader: RegisteredService;
}

export class RegistrationOrder {
  readonly #byName = new Map<string, RegisteredService>();
  readonly #groups = new Map<string, Group>();
  /** In order. */
  #order: Group[] = [];
  /** Groups that changed since they were last put in order. */
  readonly #changed = new Map<string, RegisteredService[]>();

  /** The service takes the place of the one of its name. */
  set(service: RegisteredService): void {
    this.delete(service.name);
    this.#byName.set(service.name, service);
    this.#changing(service.group).push(service);
  }

  delete(name: string): void {
    const service = this.#byName.get(name);
    if (!service) return;
    this.#byName.delete(name);
    const versions = this.#changing(service.group);
    versions.splice(versions.indexOf(service), 1);
  }

  /** Takes the time of those that changed since the last call, and of a look at each. */
  ordered(): RegisteredService[] {
    this.#putInOrder();
    return this.#order.flatMap(({ versions }) => versions);
  }

  #changing(group: string): RegisteredService[] {
    const known = this.#changed.get(group) ?? [...(this.#groups.get(group)?.versions ?? [])];
    this.#changed.set(group, known);
    return known;
  }

  #putInOrder(): void {
    if (this.#changed.size === 0) return;
    const moved = new Set([...this.#changed.keys()].flatMap((name) => this.#groups.get(name) ?? []));
    const placed: Group[] = [];
    for (const [name, versions] of this.#changed) {
      const group = groupOf(versions);
      if (group) placed.push(group);
      if (group) this.#groups.set(name, group);
      else this.#groups.delete(name);
    }
    this.#changed.clear();
    placed.sort((a, b) => byPriority(a.leader, b.leader));
    this.#order = merged(
      this.#order.filter((group) => !moved.has(group)),
      placed,
    );
  }
}

/** Of two lists in order one. */
function merged(ordered: readonly Group[], placed: readonly Group[]): Group[] {
  const both: Group[] = [];
  let next = 0;
  for (const group of placed) {
    for (
      let other = ordered[next];
      other && byPriority(other.leader, group.leader) < 0;
      other = ordered[next]
    ) {
      both.push(other);
      next += 1;
    }
    both.push(group);
  }
  return both.concat(ordered.slice(next));
}

function groupOf(services: readonly RegisteredService[]): Group | undefined {
  const [leader] = services.toSorted(byPriority);
  const versions = services.toSorted(
    (a, b) => b.versionPriority - a.versionPriority || byPreference(a.version, b.version),
  );
  return leader && { leader, versions };
}

function byPriority(a: RegisteredService, b: RegisteredService): number {
  return b.groupPriority - a.groupPriority || (a.name < b.name ? -1 : Number(a.name > b.name));
}
