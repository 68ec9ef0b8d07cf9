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
}

/** What each new job looks like. */
export interface JobTemplateSpec {
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** What is wanted. */
  spec?: JobSpec | undefined;
}
