/** Keys of labels become requirements of a new pod's selectors, by release and gate. */
import type { JsonObject } from '../../../src/base/json.ts';
import { createFeatureGates } from '../../../src/observe/feature-gates.ts';
import { featuresOf } from '../../../src/observe/release-gates.ts';
import { brief, contextWith, Kind } from '../../support/kind.ts';

const selector = { matchLabels: { app: 'a' } };
const added = (operator: string) => ({ key: 'hash', operator, values: ['1'] });

function pod(constraint: JsonObject, term: JsonObject = {}): JsonObject {
  const affinity = {
    podAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: 'zone', labelSelector: selector, ...term },
      ],
    },
  };
  const spread = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', ...constraint };
  return {
    metadata: { name: 'p', namespace: 'x', labels: { app: 'a', hash: '1' } },
    spec: { containers: [{ name: 'c', image: 'a:1' }], affinity, topologySpreadConstraints: [spread] },
  };
}

function kindIn(minor: number, settings: Readonly<Record<string, boolean>>): Kind {
  const release = { major: 1, minor };
  const gates = createFeatureGates(settings, featuresOf(release));
  const all = [...gates.all()];
  const names = (isOn: boolean) => all.filter(([, on]) => on === isOn).map(([name]) => name);
  return new Kind('pods', contextWith({ release, on: names(true), off: names(false) }), release);
}

const spread = { labelSelector: selector, matchLabelKeys: ['hash', 'absent'] };

test.each([
  [33, {}, false],
  [34, {}, true],
  [34, { MatchLabelKeysInPodTopologySpreadSelectorMerge: false }, false],
  [34, { MatchLabelKeysInPodTopologySpread: false }, false],
  [36, {}, true],
])('in 1.%d with %j keys of constraints are merged: %s', (minor, settings, isMerged) => {
  const made = kindIn(minor, settings).created(pod(spread)) as unknown as {
    spec: { topologySpreadConstraints: { labelSelector: unknown }[] };
  };
  expect(made.spec.topologySpreadConstraints[0]?.labelSelector).toEqual({
    ...selector,
    ...(isMerged && { matchExpressions: [added('In')] }),
  });
});

test.each([
  [30, {}, false],
  [31, {}, true],
  [31, { MatchLabelKeysInPodAffinity: false }, false],
])('in 1.%d with %j keys of affinity are merged: %s', (minor, settings, isMerged) => {
  const term = { matchLabelKeys: ['hash'], mismatchLabelKeys: ['app'] };
  const made = kindIn(minor, settings).created(pod({ labelSelector: selector }, term)) as unknown as {
    spec: {
      affinity: {
        podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { labelSelector: unknown }[] };
      };
    };
  };
  const [found] = made.spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution;
  const expressions = [added('In'), { key: 'app', operator: 'NotIn', values: ['a'] }];
  expect(found?.labelSelector).toEqual({ ...selector, ...(isMerged && { matchExpressions: expressions }) });
});

test.each([
  [33, { matchLabelKeys: ['hash'] }, ['matchLabelKeys Forbidden']],
  [33, { ...spread, matchLabelKeys: ['app'] }, ['matchLabelKeys[0] Invalid']],
  [34, { ...spread, matchLabelKeys: ['app'] }, ['matchLabelKeys[0] Invalid']],
  [
    34,
    { ...spread, matchLabelKeys: ['hash', 'hash'] },
    ['matchLabelKeys[0] Invalid', 'matchLabelKeys[1] Invalid'],
  ],
  [36, { ...spread, matchLabelKeys: ['-'] }, ['matchLabelKeys[0] Invalid']],
  [36, spread, []],
  [30, spread, []],
])('in 1.%d a constraint with %j: %j', (minor, constraint, expected) => {
  const at = 'spec.topologySpreadConstraints[0].';
  const errors = brief(kindIn(minor, {}).createErrors(pod(constraint)));
  expect(errors).toEqual(expected.map((error) => at + error));
});
