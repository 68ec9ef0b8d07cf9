/** What a running command says about itself to those who started it. */
import type { LogFields } from './log.ts';

export interface Notice {
  /** One line. */
  readonly message: string;
  /** The same for programs. */
  readonly fields?: LogFields;
  /** Further lines for a person. */
  readonly hints?: readonly string[];
}

export type Notify = (notice: Notice) => void;
