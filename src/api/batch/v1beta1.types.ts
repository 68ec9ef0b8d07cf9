/** Types of batch/v1beta1; generated from v1beta1.proto by `npm run generate`. */
import type { ObjectReference } from '../core/v1.types.ts';
import type { ListMeta, ObjectMeta } from '../meta/v1.types.ts';
import type { JobSpec } from './v1.types.ts';

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

/** A stored template of jobs. */
export interface JobTemplate {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** What each new object looks like. */
  template?: JobTemplateSpec | undefined;
}

/** What each new job looks like. */
export interface JobTemplateSpec {
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: JobSpec | undefined;
}
