/** How a pod is doing, in the words that users of `get pods` know. */
import { ageColumn, column, inReleases, nameColumn, wideColumn } from '../../columns/columns.ts';
import { TimeSince } from '../../columns/human-duration.ts';
import type { Stored } from '../../define.ts';
import type { CellValue, ColumnDefinition, RowCondition } from '../../types.ts';
import type { Pod } from '../v1.types.ts';
import { summarize, type PodSummary, type SummaryRules } from './pod-summary.ts';

type StoredPod = Stored<Pod>;

function readinessGates(pod: StoredPod): string {
  const gates = pod.spec?.readinessGates ?? [];
  if (gates.length === 0) return '<none>';
  const byType = new Map(
    (pod.status?.conditions ?? []).toReversed().map(({ type, status }) => [type, status]),
  );
  const open = gates.filter((gate) => byType.get(gate.conditionType) === 'True').length;
  return `${String(open)}/${String(gates.length)}`;
}

/** The rules of the releases since one; those of 1.21 first. */
const rulesSince: readonly (readonly [since: string, rules: SummaryRules])[] = [
  ['', {}],
  ['1.26', { schedulingGates: true }],
  ['1.28', { schedulingGates: true, sidecars: true }],
  ['1.31', { schedulingGates: true, sidecars: true, keepsEnd: true }],
];

/** A column whose cells follow the rules of the release. */
function changing(make: (rules: SummaryRules) => ColumnDefinition): ColumnDefinition[] {
  return rulesSince.map(([since, rules], i) => {
    const until = rulesSince[i + 1]?.[0];
    return inReleases(make(rules), { ...(since !== '' && { since }), ...(until !== undefined && { until }) });
  });
}

function readyText({ ready, total }: PodSummary): string {
  return `${ready}/${total}`;
}

/** With the time since the last one, since release 1.22. */
function restartsCell({ restarts, lastRestart }: PodSummary): CellValue {
  if (restarts === 0 || lastRestart === 0) return String(restarts);
  return new TimeSince(lastRestart, { before: `${restarts} (`, after: ' ago)' });
}

const restartsText = 'How often containers were started again.';

export const podColumns: readonly ColumnDefinition[] = [
  nameColumn,
  ...changing((rules) =>
    column<StoredPod>('Ready', (pod) => readyText(summarize(pod, rules)), {
      description: 'Containers that are ready, of all.',
    }),
  ),
  ...changing((rules) =>
    column<StoredPod>('Status', (pod) => summarize(pod, rules).reason, {
      description: 'State of the pod in one word.',
    }),
  ),
  column<StoredPod>('Restarts', (pod) => summarize(pod).restarts, {
    type: 'integer',
    description: restartsText,
    until: '1.22',
  }),
  ...changing((rules) =>
    column<StoredPod>('Restarts', (pod) => restartsCell(summarize(pod, rules)), {
      description: restartsText,
    }),
  ).map((definition) => ({ ...definition, since: definition.since ?? '1.22' })),
  ageColumn,
  wideColumn<StoredPod>('IP', (pod) => pod.status?.podIPs?.[0]?.ip || '<none>', 'First address of the pod.'),
  wideColumn<StoredPod>('Node', (pod) => pod.spec?.nodeName || '<none>', 'Node that runs the pod.'),
  wideColumn<StoredPod>(
    'Nominated Node',
    (pod) => pod.status?.nominatedNodeName || '<none>',
    'Node cleared for the pod.',
  ),
  wideColumn<StoredPod>('Readiness Gates', readinessGates, 'Gates that are true, of all.'),
];

/** A finished pod is marked in its row, so that clients can hide it. */
export function podRowConditions(pod: StoredPod): readonly RowCondition[] {
  const phase = pod.status?.phase;
  if (phase !== 'Succeeded' && phase !== 'Failed') return [];
  const message = phase === 'Succeeded' ? 'The pod has completed successfully.' : 'The pod failed.';
  return [{ type: 'Completed', status: 'True', reason: phase, message }];
}
