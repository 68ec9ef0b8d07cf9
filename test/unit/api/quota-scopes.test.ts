/** Which objects a quota with scopes counts. */
import { ScopedObject } from '../../../src/api/core/quota-usage.ts';
import { asApiObject } from '../../../src/meta/object.ts';

const pods = { group: '', resource: 'pods' };

function counts(scope: object, spec: object, counted = pods): boolean {
  const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'it' }, spec };
  return new ScopedObject(counted, asApiObject(object as Parameters<typeof asApiObject>[0])).isInScope(scope);
}

const abroad = { scopes: ['CrossNamespacePodAffinity'] };
const term = (more: object): object => ({ topologyKey: 'zone', ...more });
const required = (more: object): object => ({ requiredDuringSchedulingIgnoredDuringExecution: [term(more)] });
const preferred = (more: object): object => ({
  preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: term(more) }],
});

test.each([
  ['no affinity', {}, false],
  ['affinity to its own namespace', { affinity: { podAffinity: required({}) } }, false],
  ['no namespaces', { affinity: { podAffinity: required({ namespaces: [] }) } }, false],
  ['namespaces', { affinity: { podAffinity: required({ namespaces: ['a'] }) } }, true],
  ['all namespaces', { affinity: { podAntiAffinity: required({ namespaceSelector: {} }) } }, true],
  ['namespaces that it would like', { affinity: { podAffinity: preferred({ namespaces: ['a'] }) } }, true],
  [
    'namespaces that it would rather avoid',
    { affinity: { podAntiAffinity: preferred({ namespaces: ['a'] }) } },
    true,
  ],
  ['affinity to nodes', { affinity: { nodeAffinity: required({ namespaces: ['a'] }) } }, false],
])('CrossNamespacePodAffinity: a pod with %s', (_what, spec, isCounted) => {
  expect(counts(abroad, spec)).toBe(isCounted);
  const selector = { matchExpressions: [{ scopeName: 'CrossNamespacePodAffinity', operator: 'Exists' }] };
  expect(counts({ scopeSelector: selector }, spec)).toBe(isCounted);
});

test.each([
  ['Terminating', { activeDeadlineSeconds: 1 }, {}],
  ['NotTerminating', {}, { activeDeadlineSeconds: 1 }],
  ['BestEffort', { containers: [{}] }, { containers: [{ resources: { limits: { cpu: '1' } } }] }],
  ['NotBestEffort', { containers: [{ resources: { requests: { cpu: '1' } } }] }, { containers: [{}] }],
  ['PriorityClass', { priorityClassName: 'high' }, {}],
])('%s', (scope, inside, outside) => {
  expect([inside, outside].map((spec) => counts({ scopes: [scope] }, spec))).toEqual([true, false]);
});

test('a quota without scopes counts everything, one with scopes pods alone', () => {
  const maps = { group: '', resource: 'configmaps' };
  expect(counts({}, {}, maps)).toBe(true);
  expect(counts({ scopes: ['NotTerminating'] }, {}, maps)).toBe(false);
});
