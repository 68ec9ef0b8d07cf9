/** Types of batch/v1; generated from v1.proto by `npm run generate`. */
import type { ObjectReference, PodTemplateSpec } from '../core/v1.types.ts';
import type { LabelSelector, ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** Cron job. */
export interface CronJob {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Spec. */
  spec?: CronJobSpec | undefined;
  /** Status. */
  status?: CronJobStatus | undefined;
}

/** Cron job list. */
export interface CronJobList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: CronJob[] | null | undefined;
}

/** Cron job spec. */
export interface CronJobSpec {
  /** Schedule. */
  schedule?: string | undefined;
  /** Starting deadline seconds. */
  startingDeadlineSeconds?: number | undefined;
  /** Concurrency policy. */
  concurrencyPolicy?: string | undefined;
  /** Suspend. */
  suspend?: boolean | undefined;
  /** Job template. */
  jobTemplate?: JobTemplateSpec | undefined;
  /** Successful jobs history limit. */
  successfulJobsHistoryLimit?: number | undefined;
  /** Failed jobs history limit. */
  failedJobsHistoryLimit?: number | undefined;
}

/** Cron job status. */
export interface CronJobStatus {
  /** Active. */
  active?: ObjectReference[] | undefined;
  /** Last schedule time. */
  lastScheduleTime?: string | null | undefined;
  /** Last successful time. */
  lastSuccessfulTime?: string | null | undefined;
}

/** Job. */
export interface Job {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Spec. */
  spec?: JobSpec | undefined;
  /** Status. */
  status?: JobStatus | undefined;
}

/** Job condition. */
export interface JobCondition {
  /** Type. */
  type?: string | undefined;
  /** Status. */
  status?: string | undefined;
  /** Last probe time. */
  lastProbeTime?: string | null | undefined;
  /** Last transition time. */
  lastTransitionTime?: string | null | undefined;
  /** Reason. */
  reason?: string | undefined;
  /** Message. */
  message?: string | undefined;
}

/** Job list. */
export interface JobList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: Job[] | null | undefined;
}

/** Job spec. */
export interface JobSpec {
  /** Parallelism. */
  parallelism?: number | undefined;
  /** Completions. */
  completions?: number | undefined;
  /** Active deadline seconds. */
  activeDeadlineSeconds?: number | undefined;
  /** Selector. */
  selector?: LabelSelector | undefined;
  /** Manual selector. */
  manualSelector?: boolean | undefined;
  /** Template. */
  template?: PodTemplateSpec | undefined;
  /** Backoff limit. */
  backoffLimit?: number | undefined;
  /** Ttl seconds after finished. */
  ttlSecondsAfterFinished?: number | undefined;
  /** Completion mode. */
  completionMode?: string | undefined;
  /** Suspend. */
  suspend?: boolean | undefined;
}

/** Job status. */
export interface JobStatus {
  /** Conditions. */
  conditions?: JobCondition[] | undefined;
  /** Start time. */
  startTime?: string | null | undefined;
  /** Completion time. */
  completionTime?: string | null | undefined;
  /** Active. */
  active?: number | undefined;
  /** Succeeded. */
  succeeded?: number | undefined;
  /** Failed. */
  failed?: number | undefined;
  /** Completed indexes. */
  completedIndexes?: string | undefined;
}

/** Job template spec. */
export interface JobTemplateSpec {
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Spec. */
  spec?: JobSpec | undefined;
}
