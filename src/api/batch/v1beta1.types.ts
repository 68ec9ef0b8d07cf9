/** Types of batch/v1beta1; generated from v1beta1.proto by `npm run generate`. */
import type { ObjectReference } from '../core/v1.types.ts';
import type { ListMeta, ObjectMeta } from '../meta/v1.types.ts';
import type { JobSpec } from './v1.types.ts';

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

/** Job template. */
export interface JobTemplate {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Template. */
  template?: JobTemplateSpec | undefined;
}

/** Job template spec. */
export interface JobTemplateSpec {
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Spec. */
  spec?: JobSpec | undefined;
}
