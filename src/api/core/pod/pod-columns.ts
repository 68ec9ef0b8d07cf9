/** How a pod is doing, in the words that users of `get pods` know. */
import { ageColumn, column, nameColumn, wideColumn } from '../../columns/columns.ts';
import type { Stored } from '../../define.ts';
import type { ColumnDefinition, RowCondition } from '../../types.ts';
import type { ContainerState, ContainerStatus, Pod } from '../v1.types.ts';

type StoredPod = Stored<Pod>;

interface PodSummary {
  readonly ready: number;
  readonly reason: string;
  readonly restarts: number;
}

/** Ready containers, one word for the state, and restarts (facts `columns.tsv`, rules of Pod). */
export function summarize(pod: StoredPod): PodSummary {
  const summary = initSummary(pod) ?? mainSummary(pod);
  if (pod.metadata.deletionTimestamp == null) return summary;
  return { ...summary, reason: pod.status?.reason === 'NodeLost' ? 'Unknown' : 'Terminating' };
}

function endReason({ terminated }: ContainerState, prefix: string): string | undefined {
  if (terminated == null) return undefined;
  if (terminated.reason) return `${prefix}${terminated.reason}`;
  return terminated.signal
    ? `${prefix}Signal:${String(terminated.signal)}`
    : `${prefix}ExitCode:${String(terminated.exitCode ?? 0)}`;
}

/** The state of the first init container that has not ended well; undefined when all have. */
function initSummary(pod: StoredPod): PodSummary | undefined {
  const statuses = pod.status?.initContainerStatuses ?? [];
  const index = statuses.findIndex(
    ({ state }) => state?.terminated == null || (state.terminated.exitCode ?? 0) !== 0,
  );
  const state = statuses[index]?.state ?? {};
  if (index < 0) return undefined;
  const waiting = state.waiting?.reason;
  const progress = `Init:${String(index)}/${String((pod.spec?.initContainers ?? []).length)}`;
  const waitingReason = waiting && waiting !== 'PodInitializing' ? `Init:${waiting}` : progress;
  return {
    ready: 0,
    reason: endReason(state, 'Init:') ?? waitingReason,
    restarts: restartsOf(statuses.slice(0, index + 1)),
  };
}

function mainSummary(pod: StoredPod): PodSummary {
  const statuses = pod.status?.containerStatuses ?? [];
  const reasons = statuses.flatMap(
    ({ state }) => (state?.waiting?.reason || endReason(state ?? {}, '')) ?? [],
  );
  const ready = statuses.filter((status) => status.ready === true && status.state?.running != null).length;
  const reason = (reasons[0] ?? pod.status?.reason) || (pod.status?.phase ?? '');
  return {
    ready,
    reason: reason === 'Completed' && ready > 0 ? runningReason(pod) : reason,
    restarts: restartsOf(statuses),
  };
}

function runningReason(pod: StoredPod): string {
  const ready = pod.status?.conditions?.find((condition) => condition.type === 'Ready');
  return ready?.status === 'True' ? 'Running' : 'NotReady';
}

function restartsOf(statuses: readonly ContainerStatus[]): number {
  return statuses.reduce((sum, status) => sum + (status.restartCount ?? 0), 0);
}

function readinessGates(pod: StoredPod): string {
  const gates = pod.spec?.readinessGates ?? [];
  if (gates.length === 0) return '<none>';
  const byType = new Map(
    (pod.status?.conditions ?? []).toReversed().map(({ type, status }) => [type, status]),
  );
  const open = gates.filter((gate) => byType.get(gate.conditionType) === 'True').length;
  return `${String(open)}/${String(gates.length)}`;
}

export const podColumns: readonly ColumnDefinition[] = [
  nameColumn,
  column<StoredPod>(
    'Ready',
    (pod) => `${String(summarize(pod).ready)}/${String((pod.spec?.containers ?? []).length)}`,
    {
      description: 'Containers that are ready, of all.',
    },
  ),
  column<StoredPod>('Status', (pod) => summarize(pod).reason, {
    description: 'State of the pod in one word.',
  }),
  column<StoredPod>('Restarts', (pod) => summarize(pod).restarts, {
    type: 'integer',
    description: 'How often containers were started again.',
  }),
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
