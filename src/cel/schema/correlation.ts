/** What values of an updated object were before: members by their names, items of map lists by their keys. */
import type { JsonValue } from '../../base/json.ts';
import { deepEqual } from '../../base/json.ts';

export class Correlation {
  /** Undefined when there was none, or it cannot be told which one it was. */
  readonly old: JsonValue | undefined;
  private readonly value: JsonValue;
  private readonly above: Correlation | undefined;
  private known: boolean | undefined;

  constructor(value: JsonValue, old: JsonValue | undefined, above: Correlation | undefined) {
    this.value = value;
    this.old = old;
    this.above = above;
  }

  below(value: JsonValue, old: JsonValue | undefined): Correlation {
    return new Correlation(value, old, this);
  }

  /** The value is as it was, or the nearest one above is that can be compared. */
  isUnchanged(): boolean {
    this.known ??=
      this.old === undefined ? (this.above?.isUnchanged() ?? false) : deepEqual(this.value, this.old);
    return this.known;
  }
}
