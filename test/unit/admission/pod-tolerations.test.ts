/** PodTolerationRestriction: what is merged, and what a whitelist refuses. */
import { createPodTolerationRestriction } from '../../../src/admission/pod-toleration-restriction.ts';
import { mergeTolerations } from '../../../src/admission/toleration-set.ts';
import type { Toleration } from '../../../src/api/core/v1.types.ts';
import { attributesOf, naming, outcomeOf, readerOf, type Write } from '../../support/admission.ts';

/** `key op[:value] effect [seconds]`, - for nothing. */
function toleration(text: string): Toleration {
  const [key, op = '', effect, seconds] = text.split(' ').map((word) => (word === '-' ? undefined : word));
  const [operator, value] = op.split(':');
  return {
    ...(key !== undefined && { key }),
    ...(operator && { operator }),
    ...(value !== undefined && { value }),
    ...(effect !== undefined && { effect }),
    ...(seconds !== undefined && { tolerationSeconds: Number(seconds) }),
  };
}

test.each<readonly [string, readonly string[], readonly string[]]>([
  ['equal ones', ['a Equal:1 NoSchedule', 'a Equal:1 NoSchedule'], ['a Equal:1 NoSchedule']],
  ['Exists before', ['a Exists NoSchedule', 'a Equal:1 NoSchedule'], ['a Exists NoSchedule']],
  ['Exists behind', ['a Equal:1 NoSchedule', 'a Exists NoSchedule'], ['a Exists NoSchedule']],
  [
    'other values',
    ['a Equal:1 NoSchedule', 'a Equal:2 NoSchedule'],
    ['a Equal:1 NoSchedule', 'a Equal:2 NoSchedule'],
  ],
  ['all effects', ['a Exists NoSchedule', 'a Exists -', 'a Exists NoExecute'], ['a Exists -']],
  ['all keys', ['a Exists NoSchedule', '- Exists -', 'b Equal:1 NoExecute 5'], ['- Exists -']],
  ['a longer time', ['a Exists NoExecute 5', 'a Exists NoExecute 6'], ['a Exists NoExecute 6']],
  ['for ever', ['a Exists NoExecute 5', 'a Exists NoExecute'], ['a Exists NoExecute']],
  ['for ever before', ['a Exists NoExecute', 'a Exists NoExecute 5'], ['a Exists NoExecute']],
  ['an operator left out includes', ['a -:1 NoSchedule', 'a Equal:1 NoSchedule'], ['a -:1 NoSchedule']],
  [
    'an operator left out is not included by Equal',
    ['a Equal:1 NoSchedule', 'a -:1 NoSchedule'],
    ['a -:1 NoSchedule'],
  ],
  [
    'each includes the other: one stays',
    ['a Exists:x NoSchedule', 'a Exists NoSchedule'],
    ['a Exists NoSchedule'],
  ],
  [
    'other keys',
    ['a Exists NoSchedule', 'b Exists NoSchedule'],
    ['a Exists NoSchedule', 'b Exists NoSchedule'],
  ],
])('merged: %s', (_what, all, kept) => {
  const merged = mergeTolerations(all.map((text) => toleration(text.replace(' -:', ' :'))));
  expect(merged).toEqual(kept.map((text) => toleration(text.replace(' -:', ' :'))));
});

const annotated = (annotations: Record<string, string>): object => ({ metadata: { annotations } });
const [defaults, whitelist] = ['defaultTolerations', 'tolerationsWhitelist'].map(
  (name) => `scheduler.alpha.orch.io/${name}`,
) as [string, string];
const reader = readerOf({
  'core/namespaces/web': annotated({}),
  'core/namespaces/own': annotated({ [defaults]: JSON.stringify([toleration('own Exists NoSchedule')]) }),
  'core/namespaces/none': annotated({ [defaults]: '', [whitelist]: '' }),
  'core/namespaces/strict': annotated({ [whitelist]: JSON.stringify([toleration('a Equal:1 NoSchedule')]) }),
  'core/namespaces/broken': annotated({ [defaults]: '[{"key":1}]' }),
});
const cluster = {
  default: [toleration('cluster Exists NoSchedule')],
  whitelist: [toleration('cluster Exists -'), toleration('own Exists -'), toleration('a Exists -')],
};
const plugin = createPodTolerationRestriction(reader, cluster, naming);

async function judged(
  namespace: string,
  spec: object,
  more: Partial<Write> = {},
): Promise<[string, readonly Toleration[]]> {
  const attributes = attributesOf({ resource: 'pods', namespace, object: { spec }, ...more });
  const outcome = await outcomeOf(plugin, attributes);
  return [outcome, (attributes.object?.['spec'] as { tolerations?: Toleration[] }).tolerations ?? []];
}

test.each<readonly [string, string]>([
  ['web', 'cluster Exists NoSchedule'],
  ['own', 'own Exists NoSchedule'],
  ['none', ''],
])('the default tolerations of %s', async (namespace, added) => {
  expect(await judged(namespace, {})).toEqual(['', added === '' ? [] : [toleration(added)]]);
});

test('only a creation gets defaults; a pod that requests memory tolerates its pressure', async () => {
  expect(await judged('web', {}, { operation: 'UPDATE' })).toEqual(['', []]);
  const spec = { containers: [{ resources: { requests: { memory: '1Gi' } } }] };
  expect(await judged('none', spec, { operation: 'UPDATE' })).toEqual([
    '',
    [toleration('node.orch.io/memory-pressure Exists NoSchedule')],
  ]);
});

const conflict = 'pod tolerations (possibly merged with namespace default tolerations) conflict with its';

test('a whitelist refuses what it does not include', async () => {
  const pod = (text: string): object => ({ tolerations: [toleration(text)] });
  expect((await judged('web', pod('b Exists NoSchedule')))[0]).toBe(`403 ${conflict} cluster whitelist`);
  expect((await judged('web', pod('a Equal:1 NoSchedule')))[0]).toBe('');
  expect((await judged('strict', pod('a Equal:1 NoSchedule')))[0]).toBe(
    `403 ${conflict} namespace whitelist`,
  );
  expect((await judged('none', pod('b Exists NoSchedule')))[0]).toBe('');
  expect((await judged('web', pod('b Exists NoSchedule'), { resource: 'pods/status' }))[0]).toBe('');
});

test('an annotation that cannot be read is told of', async () => {
  expect((await judged('broken', {}))[0]).toBe(
    `403 annotation ${defaults} of namespace broken is no list of tolerations in JSON`,
  );
});

test('many tolerations take no time that grows with their square', () => {
  const many = Array.from({ length: 20_000 }, (_, i) => toleration(`a Equal:${i} NoSchedule`));
  const calls = mergeTolerations([...many, ...many]);
  expect(calls).toHaveLength(20_000);
});
