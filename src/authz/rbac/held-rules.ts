/**
 * The rules that a writer holds, by what they name: of a hundred thousand rules few can cover a given one. A rule that covers
 * another one names its API groups and resources, or all.
 */
import { OwnerRule } from './owner-rule.ts';
import type { PolicyRule } from './policy-rule.ts';

const all = '*';

export class HeldRules {
  readonly #byGroup = new Map<string, PolicyRule[]>();
  readonly #byResource = new Map<string, PolicyRule[]>();
  readonly #ofPaths: PolicyRule[] = [];
  /** Prepared when they are first compared. */
  readonly #prepared = new Map<PolicyRule, OwnerRule>();

  /** Yields behind each item: a rule may have a hundred thousand. */
  *add(rule: PolicyRule): Generator<void, void, void> {
    for (const group of rule.apiGroups) {
      append(this.#byGroup, group, rule);
      yield;
    }
    for (const resource of rule.resources) {
      append(this.#byResource, resource, rule);
      yield;
    }
    if (rule.nonResourceURLs.length > 0) this.#ofPaths.push(rule);
  }

  /** Rules of which one may cover the part; the others do not. */
  *candidates({ apiGroups, resources }: PolicyRule): Generator<OwnerRule> {
    const [group, resource] = [apiGroups[0], resources[0]];
    const lists =
      group === undefined || resource === undefined
        ? [this.#ofPaths]
        : shorter(listsOf(this.#byGroup, [group, all]), listsOf(this.#byResource, namesCovering(resource)));
    for (const list of lists) for (const rule of list) yield this.#prepare(rule);
  }

  #prepare(rule: PolicyRule): OwnerRule {
    let prepared = this.#prepared.get(rule);
    if (!prepared) this.#prepared.set(rule, (prepared = new OwnerRule(rule)));
    return prepared;
  }
}

/** The resource itself, all, or a subresource of all. */
function namesCovering(resource: string): string[] {
  const slash = resource.indexOf('/');
  return [resource, all, ...(slash >= 0 ? [`${all}${resource.slice(slash)}`] : [])];
}

type Lists = readonly (readonly PolicyRule[])[];

function listsOf(index: ReadonlyMap<string, PolicyRule[]>, names: readonly string[]): Lists {
  return [...new Set(names)].map((name) => index.get(name) ?? []);
}

function shorter(one: Lists, other: Lists): Lists {
  const sum = (lists: Lists): number => lists.reduce((length, list) => length + list.length, 0);
  return sum(one) <= sum(other) ? one : other;
}

function append(index: Map<string, PolicyRule[]>, name: string, rule: PolicyRule): void {
  const known = index.get(name);
  // A list may name an item twice.
  if (known?.at(-1) === rule) return;
  if (known) known.push(rule);
  else index.set(name, [rule]);
}
