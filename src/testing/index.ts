/** A control plane inside the process of a test. */
export { startControlPlane } from './start-control-plane.ts';
export { ControlPlane, type ForkOptions, type SaveOptions, type Snapshot } from './control-plane.ts';
export type { ChangedObject, Changes } from './state/differences.ts';
export type { FieldChange } from './state/field-changes.ts';
export type { ControlPlaneOptions, ControlPlaneUser, Engine, LogsOption, Naming } from './options.ts';
export { ApiClient, type ApplyOptions, type ListOptions, type WatchOptions } from './api-client.ts';
export { ApiError, type ApiStatus } from './api-error.ts';
export { SettleTimeout, type SettledOptions } from './settled.ts';
export type { WorkLeft } from '../controllers/work-left.ts';
export { until, UntilTimeout, type UntilOptions } from './until.ts';
export type {
  ApiObject,
  KindReference,
  ObjectLike,
  ObjectList,
  ObjectMetadata,
  ObjectReference,
  WatchEvent,
} from './objects.ts';
export {
  Faults,
  type CloseWatchesScope,
  type FaultHandle,
  type LoseAnswersScope,
  type RefuseScope,
  type RestartScope,
} from './faults.ts';
export type { FaultId, FaultKind, FaultOrder, FaultScope, FaultStrike, LostAnswer } from './fault-orders.ts';
export { explore, type ExploredTest, type ExploreReport, type ExploreRun } from './explore/explore.ts';
export type { ExploreOptions } from './explore/explore-options.ts';
export { ExploreFailure } from './explore/explore-failure.ts';
export type { Kubeconfig } from '../pki/kubeconfig.ts';
export { StartError } from '../base/start-error.ts';
