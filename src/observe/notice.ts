/** Notices of a running command to the operator. */
import type { LogFields } from './log.ts';

export interface Notice {
  /** One line. */
  readonly message: string;
  /** Structured fields for the log. */
  readonly fields?: LogFields;
  /** Further lines on a terminal. */
  readonly hints?: readonly string[];
}

export type Notify = (notice: Notice) => void;
