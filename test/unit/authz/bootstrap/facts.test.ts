/** Roles and bindings at the start: those of 1.21 and of 1.34 as the facts have them, and no other rule in any release. */
import {
  bootstrapPolicy,
  type BootstrapRbacObject,
} from '../../../../src/authz/bootstrap/bootstrap-policy.ts';
import type { JsonObject } from '../../../../src/base/json.ts';
import { createFeatureGates } from '../../../../src/observe/feature-gates.ts';
import { featuresOf } from '../../../../src/observe/release-gates.ts';
import { bindingExceptions, roleExceptions } from '../../../support/facts/exceptions.ts';
import {
  factsIn,
  factsOf,
  minors,
  naming,
  needless,
  oldest,
  releaseOf,
  unexplained,
  type Fact,
} from '../../../support/facts/facts.ts';

/** The newest release whose roles the facts have. */
const newest = 34;
const ends = [
  [oldest, 'old'],
  [newest, 'new'],
] as const;

function policyAt(minor: number): BootstrapRbacObject[] {
  const gates = createFeatureGates({}, featuresOf(releaseOf(minor)));
  return bootstrapPolicy(naming, { minor, isFeatureEnabled: (name) => gates.isEnabled(name) });
}

const listOf = (value: unknown): string[] => (value ?? []) as string[];

/** Each thing that a rule allows, by itself: how rules are put together is no difference. */
function permissions({ apiGroups, resources, verbs, nonResourceURLs, resourceNames }: JsonObject): string[] {
  const names = listOf(resourceNames).length === 0 ? [''] : listOf(resourceNames);
  const things = listOf(apiGroups).flatMap((group) =>
    listOf(resources).flatMap((resource) => names.map((name) => `${group || 'core'} ${resource} ${name}`)),
  );
  return [...things, ...listOf(nonResourceURLs)].flatMap((thing) =>
    listOf(verbs).map((verb) => `${thing.trim()}: ${verb}`),
  );
}

const split = (text = ''): string[] => (text === '' ? [] : text.split(','));

function factPermissions(fact: Fact): string[] {
  const { apiGroups, resources, verbs, nonResourceURLs, resourceNames } = fact;
  return permissions({
    ...{ apiGroups: split(apiGroups), resources: split(resources), verbs: split(verbs) },
    ...{ nonResourceURLs: split(nonResourceURLs), resourceNames: split(resourceNames) },
  });
}

/** Names of the facts are those of the namespace of the platform that is public. */
const placed = (namespace: string, name: string): string =>
  `${namespace === '' ? '' : `${namespace.replace(/^orch-public$/, 'kube-public')}/`}${name}`;

/** What each role allows; roles that gather others have no rules of their own. */
function rulesAt(minor: number): Set<string> {
  return new Set(
    policyAt(minor)
      .filter(({ plural, object }) => plural.endsWith('roles') && object['aggregationRule'] === undefined)
      .flatMap(({ name, namespace, object }) =>
        ((object['rules'] ?? []) as JsonObject[])
          .flatMap(permissions)
          .map((permission) => `${placed(namespace, name)} ${permission}`),
      ),
  );
}

function rulesOf(facts: readonly Fact[]): Set<string> {
  const own = facts.filter(({ aggregationLabel = '' }) => !aggregationLabel.startsWith('select '));
  return new Set(own.flatMap((fact) => factPermissions(fact).map((line) => `${fact['role'] ?? ''} ${line}`)));
}

function differing(own: ReadonlySet<string>, expected: ReadonlySet<string>): string[] {
  return [
    ...[...expected.difference(own)].map((line) => `- ${line}`),
    ...[...own.difference(expected)].map((line) => `+ ${line}`),
  ].sort();
}

test.each(ends)('rules of roles in 1.%i', (minor, side) => {
  expect(unexplained(differing(rulesAt(minor), rulesOf(factsIn('rbac', side))), roleExceptions)).toEqual([]);
});

test.each(minors)('each rule in 1.%i is one of the facts', (minor) => {
  const known = new Set([...rulesOf(factsOf('rbac')), ...rulesOf(factsOf('rbac-gated'))]);
  expect(
    unexplained(
      [...rulesAt(minor).difference(known)].map((line) => `+ ${line}`),
      roleExceptions,
    ),
  ).toEqual([]);
});

type Words = Readonly<Record<string, string | undefined>>;

function bindingsAt(minor: number): Set<string> {
  return new Set(
    policyAt(minor)
      .filter(({ plural }) => plural.endsWith('bindings'))
      .flatMap(({ name, namespace, object }) => {
        const role = object['roleRef'] as Words;
        const subjects = (object['subjects'] ?? []) as Words[];
        return subjects.map((subject) => {
          const at = subject['namespace'] === undefined ? '' : `${subject['namespace']}/`;
          const who = `${subject['kind'] ?? ''} ${at}${subject['name'] ?? ''}`;
          return `${placed(namespace, name)} ${role['kind'] ?? ''} ${role['name'] ?? ''} ${who}`;
        });
      }),
  );
}

test.each(ends)('bindings in 1.%i', (minor, side) => {
  const facts = factsIn('rbac-bindings', side).filter(({ subjectKind }) => subjectKind !== '');
  const expected = facts.map((fact) => {
    const { binding = '', roleKind = '', role = '', subjectKind = '', subjectName = '' } = fact;
    const subject = `${fact['subjectNamespace'] ? `${fact['subjectNamespace']}/` : ''}${subjectName}`;
    return `${binding} ${roleKind} ${role} ${subjectKind} ${subject}`;
  });
  expect(unexplained(differing(bindingsAt(minor), new Set(expected)), bindingExceptions)).toEqual([]);
});

test('each exception is one', () => {
  const all = ends.flatMap(([minor, side]) => differing(rulesAt(minor), rulesOf(factsIn('rbac', side))));
  const later = minors.flatMap((minor) => [...rulesAt(minor)].map((line) => `+ ${line}`));
  expect(needless([...all, ...later], roleExceptions)).toEqual([]);
});
