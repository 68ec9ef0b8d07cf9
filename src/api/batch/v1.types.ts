/** Types of batch/v1; generated from v1.proto by `npm run generate`. */
import type { ObjectReference, PodTemplateSpec } from '../core/v1.types.ts';
import type { LabelSelector, ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** Starts jobs by the clock. */
export interface CronJob {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: CronJobSpec | undefined;
  /** What was last observed; written by the system. */
  status?: CronJobStatus | undefined;
}

/** A list of CronJob objects. */
export interface CronJobList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: CronJob[] | null | undefined;
}

/** What is wanted of a CronJob. */
export interface CronJobSpec {
  /** When to run, in cron format. */
  schedule?: string | undefined;
  /** Seconds after which a missed run is given up. */
  startingDeadlineSeconds?: number | undefined;
  /** What to do when the last run is not finished. */
  concurrencyPolicy?: string | undefined;
  /** True: start nothing more for now. */
  suspend?: boolean | undefined;
  /** The job to start. */
  jobTemplate?: JobTemplateSpec | undefined;
  /** How many finished jobs are kept. */
  successfulJobsHistoryLimit?: number | undefined;
  /** How many failed jobs are kept. */
  failedJobsHistoryLimit?: number | undefined;
  /** Time zone of the schedule, such as Europe/Berlin; absent: that of the controller. */
  timeZone?: string | undefined;
}

/** What was last observed of a CronJob. */
export interface CronJobStatus {
  /** What runs now. */
  active?: ObjectReference[] | undefined;
  /** When a run was last started. */
  lastScheduleTime?: string | null | undefined;
  /** When a run last succeeded. */
  lastSuccessfulTime?: string | null | undefined;
}

/** Runs pods until enough have succeeded. */
export interface Job {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: JobSpec | undefined;
  /** What was last observed; written by the system. */
  status?: JobStatus | undefined;
}

/** One observation of a Job. */
export interface JobCondition {
  /** Which kind of thing this is. */
  type?: string | undefined;
  /** True, False or Unknown. */
  status?: string | undefined;
  /** When the condition was last checked. */
  lastProbeTime?: string | null | undefined;
  /** When the status last changed. */
  lastTransitionTime?: string | null | undefined;
  /** One CamelCase word that says why, for machines. */
  reason?: string | undefined;
  /** Details for people. */
  message?: string | undefined;
}

/** A list of Job objects. */
export interface JobList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: Job[] | null | undefined;
}

/** What is wanted of a Job. */
export interface JobSpec {
  /** How many pods run at once. */
  parallelism?: number | undefined;
  /** How many pods must succeed. */
  completions?: number | undefined;
  /** Seconds that it may run before it is ended. */
  activeDeadlineSeconds?: number | undefined;
  /** Labels that choose the objects meant. */
  selector?: LabelSelector | undefined;
  /** The selector is given by hand. */
  manualSelector?: boolean | undefined;
  /** What each new object looks like. */
  template?: PodTemplateSpec | undefined;
  /** How many failures before giving up. */
  backoffLimit?: number | undefined;
  /** Seconds after which a finished one is deleted. */
  ttlSecondsAfterFinished?: number | undefined;
  /** NonIndexed: all alike; Indexed: each pod has a number. */
  completionMode?: string | undefined;
  /** True: start nothing more for now. */
  suspend?: boolean | undefined;
  /** What failed pods mean. */
  podFailurePolicy?: PodFailurePolicy | undefined;
  /** Retries of each index before it counts as failed. */
  backoffLimitPerIndex?: number | undefined;
  /** How many indexes may fail before the job does. */
  maxFailedIndexes?: number | undefined;
  /** When a pod is replaced: TerminatingOrFailed or Failed. */
  podReplacementPolicy?: string | undefined;
  /** The controller that looks after the job. */
  managedBy?: string | undefined;
  /** When the job is done before all pods are. */
  successPolicy?: SuccessPolicy | undefined;
}

/** What was last observed of a Job. */
export interface JobStatus {
  /** Latest observations, one per type. */
  conditions?: JobCondition[] | undefined;
  /** When it began. */
  startTime?: string | null | undefined;
  /** When it was done. */
  completionTime?: string | null | undefined;
  /** What runs now. */
  active?: number | undefined;
  /** How many succeeded. */
  succeeded?: number | undefined;
  /** How many failed. */
  failed?: number | undefined;
  /** Numbers that succeeded. */
  completedIndexes?: string | undefined;
  /** Pods that have ended and are not counted yet. */
  uncountedTerminatedPods?: UncountedTerminatedPods | undefined;
  /** Active pods that are ready. */
  ready?: number | undefined;
  /** Indexes that have failed, such as 1,3-5. */
  failedIndexes?: string | undefined;
  /** Pods that are ending. */
  terminating?: number | undefined;
}

/** What each new job looks like. */
export interface JobTemplateSpec {
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: JobSpec | undefined;
}

/** What failed pods mean for a job. */
export interface PodFailurePolicy {
  /** The rules; the first that fits a pod counts. */
  rules?: PodFailurePolicyRule[] | null | undefined;
}

/** Demand on the exit codes of containers. */
export interface PodFailurePolicyOnExitCodesRequirement {
  /** Name of the container; absent: any. */
  containerName?: string | undefined;
  /** In or NotIn. */
  operator?: string | undefined;
  /** The exit codes. */
  values?: number[] | null | undefined;
}

/** A condition that a failed pod has. */
export interface PodFailurePolicyOnPodConditionsPattern {
  /** Type of the condition. */
  type?: string | undefined;
  /** Status of the condition: True, False or Unknown. */
  status?: string | undefined;
}

/** What a failed pod means that fits. */
export interface PodFailurePolicyRule {
  /** FailJob, FailIndex, Ignore or Count. */
  action?: string | undefined;
  /** Fits by exit codes. */
  onExitCodes?: PodFailurePolicyOnExitCodesRequirement | undefined;
  /** Fits by conditions; one is enough. */
  onPodConditions?: PodFailurePolicyOnPodConditionsPattern[] | undefined;
}

/** When an indexed job is done before all its pods are. */
export interface SuccessPolicy {
  /** The rules; one is enough. */
  rules?: SuccessPolicyRule[] | null | undefined;
}

/** A way to succeed. */
export interface SuccessPolicyRule {
  /** Indexes that must have succeeded, such as 0,2-4. */
  succeededIndexes?: string | undefined;
  /** How many indexes must have succeeded. */
  succeededCount?: number | undefined;
}

/** Pods that have ended and are not counted yet. */
export interface UncountedTerminatedPods {
  /** UIDs of pods that succeeded. */
  succeeded?: string[] | undefined;
  /** UIDs of pods that failed. */
  failed?: string[] | undefined;
}
