/** How a pod is doing in one word, its ready containers and restarts (facts `columns.tsv`, rules of Pod). */
import type { Stored } from '../../define.ts';
import type { Container, ContainerState, ContainerStatus, Pod } from '../v1.types.ts';

type StoredPod = Stored<Pod>;

/** What releases after 1.21 changed. */
export interface SummaryRules {
  /** A pod that waits for its scheduling gates says so (1.26). */
  readonly schedulingGates?: boolean;
  /** Init containers that go on beside the others count as them (1.28). */
  readonly sidecars?: boolean;
  /** A pod that has ended does not become `Terminating` when it is deleted (1.31). */
  readonly keepsEnd?: boolean;
}

export interface PodSummary {
  readonly ready: number;
  /** Containers that should be ready. */
  readonly total: number;
  readonly reason: string;
  readonly restarts: number;
  /** When the container that was restarted last had ended, in milliseconds since 1970; 0 if that is not known. */
  readonly lastRestart: number;
}

type Counts = Pick<PodSummary, 'restarts' | 'lastRestart'>;

/** How far the init containers are. */
interface InitProgress {
  /** Those that were looked at: up to the first that has not ended well. */
  readonly seen: readonly ContainerStatus[];
  /** Undefined when all have ended well. */
  readonly reason: string | undefined;
  /** Sidecars that are ready. */
  readonly ready: number;
  readonly sidecars: ReadonlySet<string | undefined>;
}

export function summarize(pod: StoredPod, rules: SummaryRules = {}): PodSummary {
  const init = initProgress(pod, rules);
  const total = (pod.spec?.containers ?? []).length + init.sidecars.size;
  const summary = {
    total,
    ...(hasInitialized(pod, init, rules) ? mainSummary(pod, init, rules) : initSummary(init)),
  };
  if (pod.metadata.deletionTimestamp == null) return summary;
  if (pod.status?.reason === 'NodeLost') return { ...summary, reason: 'Unknown' };
  return rules.keepsEnd === true && hasEnded(pod) ? summary : { ...summary, reason: 'Terminating' };
}

function hasEnded({ status }: StoredPod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

function hasInitialized(pod: StoredPod, { reason }: InitProgress, { sidecars }: SummaryRules): boolean {
  return reason === undefined || (sidecars === true && isTrue(pod, 'Initialized'));
}

function isTrue({ status }: StoredPod, type: string): boolean {
  return status?.conditions?.find((condition) => condition.type === type)?.status === 'True';
}

function initProgress(pod: StoredPod, rules: SummaryRules): InitProgress {
  const statuses = pod.status?.initContainerStatuses ?? [];
  const containers = pod.spec?.initContainers ?? [];
  const sidecars = new Set(rules.sidecars ? containers.filter(isSidecar).map(({ name }) => name) : []);
  const isUp = ({ name, started }: ContainerStatus): boolean => sidecars.has(name) && started === true;
  const index = statuses.findIndex((status) => !hasSucceeded(status) && !isUp(status));
  const seen = index < 0 ? statuses : statuses.slice(0, index + 1);
  const passed = index < 0 ? statuses : statuses.slice(0, index);
  return {
    ...{ seen, sidecars },
    reason: index < 0 ? undefined : initReason(statuses[index]?.state ?? {}, `${index}/${containers.length}`),
    ready: passed.filter((status) => !hasSucceeded(status) && status.ready === true).length,
  };
}

function isSidecar({ restartPolicy }: Container): boolean {
  return restartPolicy === 'Always';
}

function hasSucceeded({ state }: ContainerStatus): boolean {
  return state?.terminated != null && (state.terminated.exitCode ?? 0) === 0;
}

function initReason(state: ContainerState, progress: string): string {
  const waiting = state.waiting?.reason;
  return (
    endReason(state, 'Init:') ??
    (waiting && waiting !== 'PodInitializing' ? `Init:${waiting}` : `Init:${progress}`)
  );
}

function endReason({ terminated }: ContainerState, prefix: string): string | undefined {
  if (terminated == null) return undefined;
  if (terminated.reason) return `${prefix}${terminated.reason}`;
  return terminated.signal
    ? `${prefix}Signal:${terminated.signal}`
    : `${prefix}ExitCode:${terminated.exitCode ?? 0}`;
}

function initSummary({ reason = '', ready, seen }: InitProgress): Omit<PodSummary, 'total'> {
  return { ready, reason, ...countsOf(seen) };
}

function mainSummary(pod: StoredPod, init: InitProgress, rules: SummaryRules): Omit<PodSummary, 'total'> {
  const statuses = pod.status?.containerStatuses ?? [];
  const reasons = statuses.flatMap(
    ({ state }) => (state?.waiting?.reason || endReason(state ?? {}, '')) ?? [],
  );
  const running = statuses.filter((status) => status.ready === true && status.state?.running != null).length;
  const reason = reasons[0] ?? init.reason ?? podReason(pod, rules);
  return {
    ready: init.ready + running,
    reason: reason === 'Completed' && running > 0 ? runningReason(pod) : reason,
    ...countsOf([...init.seen.filter(({ name }) => init.sidecars.has(name)), ...statuses]),
  };
}

function podReason({ status }: StoredPod, { schedulingGates }: SummaryRules): string {
  const scheduled = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (schedulingGates === true && scheduled?.reason === 'SchedulingGated') return 'SchedulingGated';
  return status?.reason || (status?.phase ?? '');
}

function runningReason(pod: StoredPod): string {
  return isTrue(pod, 'Ready') ? 'Running' : 'NotReady';
}

function countsOf(statuses: readonly ContainerStatus[]): Counts {
  let [restarts, lastRestart] = [0, 0];
  for (const { restartCount, lastState } of statuses) {
    restarts += restartCount ?? 0;
    const ended = Date.parse(lastState?.terminated?.finishedAt ?? '');
    if (ended > lastRestart) lastRestart = ended;
  }
  return { restarts, lastRestart };
}
