/** Policies and bindings as they are obeyed: what the stored objects say, read once for each revision of them. */
import type {
  MatchResources,
  NamedRuleWithOperations,
  ParamRef,
  ValidatingAdmissionPolicySpec,
  ValidatingAdmissionPolicyBindingSpec,
} from '../../api/admissionregistration/v1.types.ts';
import { selectorText } from '../../api/selector-text.ts';
import { decodeStored } from '../../codec/stored.ts';
import { parseLabelSelector } from '../../meta/label-selector.ts';
import { asApiObject } from '../../meta/object.ts';
import type { Entry } from '../../storage/types.ts';
import type { MatchRule, Matcher } from '../webhook/match-rules.ts';
import { PolicyPrograms } from './policy-programs.ts';

export interface Policy {
  readonly name: string;
  readonly spec: ValidatingAdmissionPolicySpec;
  readonly matcher: Matcher;
  /** An expression without a value does not reject the request (`failurePolicy: Ignore`). */
  readonly ignoresFailure: boolean;
  readonly programs: PolicyPrograms;
}

export interface Binding {
  readonly name: string;
  readonly policyName: string;
  readonly paramRef: ParamRef | undefined;
  /** undefined: it narrows nothing. */
  readonly matcher: Matcher | undefined;
  readonly actions: ReadonlySet<string>;
}

export function readPolicy(entry: Entry): Policy {
  const { name, spec } = readStored(entry) as Stored<ValidatingAdmissionPolicySpec>;
  return {
    ...{ name, spec },
    matcher: readMatcher(spec.matchConstraints ?? {}),
    ignoresFailure: spec.failurePolicy === 'Ignore',
    programs: new PolicyPrograms(spec),
  };
}

export function readBinding(entry: Entry): Binding {
  const { name, spec } = readStored(entry) as Stored<ValidatingAdmissionPolicyBindingSpec>;
  return {
    name,
    policyName: spec.policyName ?? '',
    paramRef: spec.paramRef ?? undefined,
    matcher: spec.matchResources ? narrowing(readMatcher(spec.matchResources)) : undefined,
    actions: new Set(spec.validationActions ?? []),
  };
}

/** A stored object was valid when it was written. */
interface Stored<S> {
  readonly name: string;
  readonly spec: S;
}

function readStored(entry: Entry): Stored<unknown> {
  const object = asApiObject(decodeStored(entry.bytes));
  return { name: object.metadata.name ?? '', spec: object['spec'] ?? {} };
}

function readMatcher(match: MatchResources): Matcher {
  return {
    rules: (match.resourceRules ?? []).map(readRule),
    excludes: (match.excludeResourceRules ?? []).map(readRule),
    namespaceSelector: parseLabelSelector(selectorText(match.namespaceSelector)),
    objectSelector: parseLabelSelector(selectorText(match.objectSelector)),
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
