/** A flag as data. */
export interface FlagDefinition {
  readonly name: string;
  readonly short?: string;
  /** What stands for the value in help; '' for true-or-false flags. */
  readonly value: string;
  readonly default: string;
  readonly description: string;
  /** May be given several times; values are joined by commas. */
  readonly repeatable?: boolean;
}
