/** A flag as data. */
export interface FlagDefinition {
  readonly name: string;
  readonly short?: string;
  /** Placeholder of the value in the help text; '' for boolean flags. */
  readonly value: string;
  readonly default: string;
  readonly description: string;
  /** May be repeated; the values are joined by the separator. */
  readonly repeatable?: boolean;
  /** A comma if absent. */
  readonly separator?: string;
}
