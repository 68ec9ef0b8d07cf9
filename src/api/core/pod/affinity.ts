/** Where a pod may and would rather run: by nodes, by other pods, spread over topologies. */
import type { FieldError } from '../../../meta/field-error.ts';
import { duplicate, forbidden, invalid, required } from '../../../meta/field-error.ts';
import type { FieldPath } from '../../../meta/field-path.ts';
import { validateLabelSelector } from '../../validation/validate-label-selector.ts';
import { validateLabelKeys } from './label-keys.ts';
import { validateLabelName } from '../../validation/labels.ts';
import { dns1123Label, dns1123Subdomain } from '../../validation/name-rules.ts';
import type { Maybe, Rule } from '../../validation/rules.ts';
import { allOf, each, given, need, obeys } from '../../validation/rules.ts';
import type {
  Affinity,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodAffinity,
  PodAffinityTerm,
  TopologySpreadConstraint,
} from '../v1.types.ts';

export function validateAffinity(affinity: Maybe<Affinity>, path: FieldPath): FieldError[] {
  if (affinity === undefined || affinity === null) return [];
  return allOf(
    given(affinity.nodeAffinity, path.child('nodeAffinity'), (node, at) =>
      allOf(
        given(
          node.requiredDuringSchedulingIgnoredDuringExecution,
          at.child('requiredDuringSchedulingIgnoredDuringExecution'),
          validateNodeSelector,
        ),
        each(
          node.preferredDuringSchedulingIgnoredDuringExecution,
          at.child('preferredDuringSchedulingIgnoredDuringExecution'),
          (term, p) =>
            allOf(
              weight(term.weight ?? 0, p.child('weight')),
              validateNodeSelectorTerm(term.preference ?? {}, p.child('preference')),
            ),
        ),
      ),
    ),
    given(affinity.podAffinity, path.child('podAffinity'), validatePodAffinity),
    given(affinity.podAntiAffinity, path.child('podAntiAffinity'), validatePodAffinity),
  );
}

const weight: Rule<number> = (value, path) =>
  value < 1 || value > 100 ? [invalid(path, value, 'must be in the range 1-100')] : [];

/** At least one term, each of well-formed requirements. */
export const validateNodeSelector: Rule<NodeSelector> = (selector, path) => {
  const terms = path.child('nodeSelectorTerms');
  return (selector.nodeSelectorTerms ?? []).length === 0
    ? [required(terms, 'must have at least one node selector term')]
    : each(selector.nodeSelectorTerms, terms, validateNodeSelectorTerm);
};

function validateNodeSelectorTerm(term: NodeSelectorTerm, path: FieldPath): FieldError[] {
  return allOf(
    each(term.matchExpressions, path.child('matchExpressions'), validateExpression),
    each(term.matchFields, path.child('matchFields'), validateFieldRequirement),
  );
}

function validateExpression(requirement: NodeSelectorRequirement, path: FieldPath): FieldError[] {
  return allOf(
    operandErrors(requirement, path.child('values')),
    validateLabelName(requirement.key ?? '', path.child('key')),
  );
}

function operandErrors({ operator, values }: NodeSelectorRequirement, path: FieldPath): FieldError[] {
  const count = (values ?? []).length;
  switch (operator ?? '') {
    case 'In':
    case 'NotIn':
      return count === 0 ? [required(path, "must be specified when `operator` is 'In' or 'NotIn'")] : [];
    case 'Exists':
    case 'DoesNotExist':
      return count > 0
        ? [forbidden(path, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")]
        : [];
    case 'Gt':
    case 'Lt':
      return count === 1
        ? []
        : [required(path, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [];
  }
}

/** Nodes can be named by `metadata.name` alone. */
function validateFieldRequirement(
  { key, operator, values }: NodeSelectorRequirement,
  path: FieldPath,
): FieldError[] {
  const count = (values ?? []).length;
  const operatorErrors =
    operator === 'In' || operator === 'NotIn'
      ? count === 1
        ? []
        : [
            required(
              path.child('values'),
              "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
            ),
          ]
      : [invalid(path.child('operator'), operator ?? '', 'not a valid selector operator')];
  return key === 'metadata.name'
    ? allOf(operatorErrors, each(values, path.child('values'), obeys(dns1123Subdomain)))
    : [...operatorErrors, invalid(path.child('key'), key ?? '', 'not a valid field selector key')];
}

const validatePodAffinity: Rule<PodAffinity> = (affinity, path) =>
  allOf(
    each(
      affinity.requiredDuringSchedulingIgnoredDuringExecution,
      path.child('requiredDuringSchedulingIgnoredDuringExecution'),
      validatePodAffinityTerm,
    ),
    each(
      affinity.preferredDuringSchedulingIgnoredDuringExecution,
      path.child('preferredDuringSchedulingIgnoredDuringExecution'),
      (term, at) =>
        allOf(
          weight(term.weight ?? 0, at.child('weight')),
          validatePodAffinityTerm(term.podAffinityTerm ?? {}, at.child('podAffinityTerm')),
        ),
    ),
  );

function validatePodAffinityTerm(term: PodAffinityTerm, path: FieldPath): FieldError[] {
  return allOf(
    validateLabelSelector(term.labelSelector, path.child('labelSelector')),
    validateLabelSelector(term.namespaceSelector, path.child('namespaceSelector')),
    each(term.namespaces, path.child('namespaces'), obeys(dns1123Label)),
    term.topologyKey
      ? validateLabelName(term.topologyKey, path.child('topologyKey'))
      : [required(path.child('topologyKey'), 'can not be empty')],
  );
}

/**
 * A topology and what to do when it cannot be kept even appear once together.
 * @param mergesKeys whether `matchLabelKeys` become requirements of the selector
 */
export function validateTopologySpread(
  constraints: Maybe<readonly TopologySpreadConstraint[]>,
  path: FieldPath,
  mergesKeys: boolean,
): FieldError[] {
  const seen = new Set<string>();
  return each(constraints, path, (constraint, at) => {
    const pair = `{${constraint.topologyKey ?? ''}, ${constraint.whenUnsatisfiable ?? ''}}`;
    const repeated = seen.has(pair) ? [duplicate(at.child('{topologyKey, whenUnsatisfiable}'), pair)] : [];
    seen.add(pair);
    return allOf(
      (constraint.maxSkew ?? 0) <= 0
        ? [invalid(at.child('maxSkew'), constraint.maxSkew ?? 0, 'must be greater than zero')]
        : [],
      constraint.topologyKey ? [] : [required(at.child('topologyKey'), 'can not be empty')],
      need(constraint.whenUnsatisfiable, at.child('whenUnsatisfiable')),
      validateLabelSelector(constraint.labelSelector, at.child('labelSelector')),
      validateLabelKeys(constraint.matchLabelKeys, at.child('matchLabelKeys'), {
        selector: constraint.labelSelector,
        isMerged: mergesKeys,
      }),
      repeated,
    );
  });
}
