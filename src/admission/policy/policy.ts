/** What validating and mutating policies and their bindings have in common, read once for each revision of them. */
import type {
  MatchResources,
  NamedRuleWithOperations,
  ParamKind,
  ParamRef,
} from '../../api/admissionregistration/v1.types.ts';
import { selectorSteps } from '../../api/compiled-selector.ts';
import { decodeStoredInSteps } from '../../codec/stored.ts';
import { asApiObject } from '../../meta/object.ts';
import type { Entry } from '../../storage/types.ts';
import type { MatchRule, Matcher } from '../webhook/match-rules.ts';

export interface Policy {
  readonly name: string;
  readonly paramKind: ParamKind | undefined;
  readonly matcher: Matcher;
  /** An expression without a value does not reject the request (`failurePolicy: Ignore`). */
  readonly ignoresFailure: boolean;
}

export interface Binding {
  readonly name: string;
  readonly policyName: string;
  readonly paramRef: ParamRef | undefined;
  /** undefined: it narrows nothing. */
  readonly matcher: Matcher | undefined;
}

/** The fields of a specification that both kinds of policies have. */
export interface PolicyFields {
  readonly paramKind?: ParamKind | null | undefined;
  readonly matchConstraints?: MatchResources | null | undefined;
  readonly failurePolicy?: string | undefined;
}

/** Those of both kinds of bindings. */
export interface BindingFields {
  readonly policyName?: string | undefined;
  readonly paramRef?: ParamRef | null | undefined;
  readonly matchResources?: MatchResources | null | undefined;
}

/** In steps, as everything that reads selectors, which may be large. */
export function* readPolicy(name: string, spec: PolicyFields): Generator<void, Policy, void> {
  return {
    name,
    paramKind: spec.paramKind ?? undefined,
    matcher: yield* readMatcher(spec.matchConstraints ?? {}),
    ignoresFailure: spec.failurePolicy === 'Ignore',
  };
}

export function* readBinding(name: string, spec: BindingFields): Generator<void, Binding, void> {
  return {
    name,
    policyName: spec.policyName ?? '',
    paramRef: spec.paramRef ?? undefined,
    matcher: spec.matchResources ? narrowing(yield* readMatcher(spec.matchResources)) : undefined,
  };
}

/** A stored object was valid when it was written. */
export interface Stored<S> {
  readonly name: string;
  readonly spec: S;
}

/** The name and the specification of what is stored, which is of that type. */
export function* readStored<S>(entry: Entry): Generator<void, Stored<S>, void> {
  const object = asApiObject(yield* decodeStoredInSteps(entry.bytes));
  return { name: object.metadata.name ?? '', spec: (object['spec'] ?? {}) as S };
}

function* readMatcher(match: MatchResources): Generator<void, Matcher, void> {
  return {
    rules: (match.resourceRules ?? []).map(readRule),
    excludes: (match.excludeResourceRules ?? []).map(readRule),
    namespaceSelector: yield* selectorSteps(match.namespaceSelector),
    objectSelector: yield* selectorSteps(match.objectSelector),
    matchesEquivalent: match.matchPolicy !== 'Exact',
  };
}

/** Of a binding: without rules it is about all that its policy is about. */
function narrowing(matcher: Matcher): Matcher {
  return matcher.rules.length > 0 ? matcher : { ...matcher, rules: [everything] };
}

const everything: MatchRule = {
  ...{ operations: ['*'], groups: ['*'], versions: ['*'], resources: ['*/*'], scope: '*' },
};

function readRule(rule: NamedRuleWithOperations): MatchRule {
  return {
    operations: rule.operations ?? [],
    groups: rule.apiGroups ?? [],
    versions: rule.apiVersions ?? [],
    resources: rule.resources ?? [],
    scope: rule.scope ?? '*',
    names: rule.resourceNames ?? [],
  };
}
