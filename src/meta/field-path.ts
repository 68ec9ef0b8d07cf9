/** Where in an object a fault lies: `spec.containers[0].image`, `metadata.labels[app]`. */
export class FieldPath {
  private readonly parent: FieldPath | undefined;
  /** Put into words only when somebody asks: every rule makes paths, few of them find a fault. */
  private readonly step: string | number;
  private readonly isField: boolean;

  private constructor(parent: FieldPath | undefined, step: string | number, isField: boolean) {
    this.parent = parent;
    this.step = step;
    this.isField = isField;
  }

  /** The path of a top-level field; '' names the object itself. */
  static of(first: string): FieldPath {
    return new FieldPath(undefined, first, true);
  }

  /** A field of this struct. */
  child(name: string): FieldPath {
    return this.parent === undefined && this.step === ''
      ? FieldPath.of(name)
      : new FieldPath(this, name, true);
  }

  /** An entry of this list. */
  index(position: number): FieldPath {
    return new FieldPath(this, position, false);
  }

  /** An entry of this map. */
  key(key: string): FieldPath {
    return new FieldPath(this, key, false);
  }

  toString(): string {
    if (this.parent === undefined) return String(this.step);
    return this.parent.toString() + (this.isField ? `.${this.step}` : `[${this.step}]`);
  }
}
