/**
 * `matchLabelKeys` and `mismatchLabelKeys`: labels of the new pod whose values its selectors ask for or exclude (KEP-3633, KEP-3243).
 * They become requirements of the selectors when a pod is created; templates keep the keys alone.
 */
import type { FieldError } from '../../../meta/field-error.ts';
import { forbidden, invalid } from '../../../meta/field-error.ts';
import type { FieldPath } from '../../../meta/field-path.ts';
import type { LabelSelector } from '../../meta/v1.types.ts';
import type { ApiContext } from '../../types.ts';
import { validateLabelName } from '../../validation/labels.ts';
import type { Maybe } from '../../validation/rules.ts';
import { each } from '../../validation/rules.ts';
import type { PodSpec } from '../v1.types.ts';
import { affinityTerms } from './affinity-terms.ts';

type Labels = Readonly<Record<string, string>>;
type Operator = 'In' | 'NotIn';

/** The gate of keys in constraints of topology; from release 1.34 on they are merged where the second is on, too. */
const inSpread = 'MatchLabelKeysInPodTopologySpread';
const mergedInSpread = 'MatchLabelKeysInPodTopologySpreadSelectorMerge';

/** Whether keys of constraints of topology become requirements of the selector. */
export function mergesSpreadKeys({ isFeatureEnabled }: Pick<ApiContext, 'isFeatureEnabled'>): boolean {
  return isFeatureEnabled(inSpread) && isFeatureEnabled(mergedInSpread);
}

/** Adds the requirements to the selectors of a new pod. Mutates the spec. */
export function mergeLabelKeys(spec: PodSpec, labels: Labels, context: ApiContext): void {
  if (context.isFeatureEnabled('MatchLabelKeysInPodAffinity'))
    for (const { labelSelector, matchLabelKeys, mismatchLabelKeys } of affinityTerms(spec)) {
      merge(labelSelector, { labels, keys: matchLabelKeys, operator: 'In' });
      merge(labelSelector, { labels, keys: mismatchLabelKeys, operator: 'NotIn' });
    }
  if (mergesSpreadKeys(context))
    for (const { labelSelector, matchLabelKeys } of spec.topologySpreadConstraints ?? [])
      merge(labelSelector, { labels, keys: matchLabelKeys, operator: 'In' });
}

interface Merged {
  readonly labels: Labels;
  readonly keys: Maybe<readonly string[]>;
  readonly operator: Operator;
}

/** A selector that is not there selects nothing, and stays so. */
function merge(selector: Maybe<LabelSelector>, { labels, keys, operator }: Merged): void {
  if (!selector) return;
  const added = (keys ?? [])
    .filter((key) => Object.hasOwn(labels, key))
    .map((key) => ({ key, operator, values: [labels[key] ?? ''] }));
  if (added.length > 0) selector.matchExpressions = [...(selector.matchExpressions ?? []), ...added];
}

/**
 * Keys are names of labels that the selector does not ask for by itself.
 * @param isMerged each key that the pod has stands in the selector once
 */
export function validateLabelKeys(
  keys: Maybe<readonly string[]>,
  path: FieldPath,
  { selector, isMerged }: { readonly selector: Maybe<LabelSelector>; readonly isMerged: boolean },
): FieldError[] {
  if ((keys ?? []).length === 0) return [];
  if (!selector) return [forbidden(path, 'must not be specified when labelSelector is not set')];
  const counts = new Map<string, number>();
  const count = (key: string): number => {
    const found = (counts.get(key) ?? 0) + 1;
    counts.set(key, found);
    return found;
  };
  for (const key of Object.keys(selector.matchLabels ?? {})) count(key);
  for (const { key } of selector.matchExpressions ?? []) count(key ?? '');
  const most = isMerged ? 1 : 0;
  const seen = new Set<string>();
  return each(keys, path, (key, at) => {
    const isTaken = (counts.get(key) ?? 0) > most || seen.has(key);
    seen.add(key);
    return [
      ...validateLabelName(key, at),
      ...(isTaken ? [invalid(at, key, 'exists in both matchLabelKeys and labelSelector')] : []),
    ];
  });
}
