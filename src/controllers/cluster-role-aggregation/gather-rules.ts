/** Which roles an aggregated ClusterRole gathers, and the rules that it then has. */
import type { LabelSelector as SelectorFields } from '../../api/meta/v1.types.ts';
import type { ClusterRole as ClusterRoleFields } from '../../api/rbac/v1.types.ts';
import { selectorText } from '../../api/selector-text.ts';
import type { JsonValue } from '../../base/json.ts';
import { parseLabelSelector, type LabelSelector } from '../../meta/label-selector.ts';
import type { ApiObject } from '../../meta/object.ts';

/** What is known of a ClusterRole. */
export interface KnownRole {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly rules: readonly JsonValue[];
  /** undefined: its rules are its own. */
  readonly selectors: readonly LabelSelector[] | undefined;
}

export function knownRole(object: ApiObject): KnownRole {
  const { aggregationRule, rules } = object as ApiObject & ClusterRoleFields;
  return {
    name: object.metadata.name ?? '',
    labels: object.metadata.labels ?? {},
    rules: (rules ?? []) as unknown as JsonValue[],
    selectors: aggregationRule && (aggregationRule.clusterRoleSelectors ?? []).map(parsed),
  };
}

/** An empty selector selects every role. Objects are checked when they are written, so that every selector can be read. */
function parsed(selector: SelectorFields): LabelSelector {
  return parseLabelSelector(selectorText(selector));
}

/** True when the first role gathers the second. */
export function gathers({ name, selectors }: KnownRole, other: KnownRole): boolean {
  return name !== other.name && selectors?.some((selector) => selector.matches(other.labels)) === true;
}

/** The rules of all roles that an aggregated one gathers, selector by selector in order of names, each once. */
export function gatheredRules(role: KnownRole, all: Iterable<KnownRole>): JsonValue[] {
  const others = [...all].filter(({ name }) => name !== role.name).sort((a, b) => (a.name < b.name ? -1 : 1));
  const selected = (role.selectors ?? []).flatMap((selector) =>
    others.filter(({ labels }) => selector.matches(labels)),
  );
  return distinct([...new Set(selected)].flatMap(({ rules }) => rules));
}

function distinct(rules: readonly JsonValue[]): JsonValue[] {
  const seen = new Map(rules.map((rule) => [JSON.stringify(rule), rule]));
  return [...seen.values()];
}
