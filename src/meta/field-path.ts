/** Where in an object a fault lies: `spec.containers[0].image`, `metadata.labels[app]`. */
export class FieldPath {
  private readonly parent: FieldPath | undefined;
  private readonly step: string;

  private constructor(parent: FieldPath | undefined, step: string) {
    this.parent = parent;
    this.step = step;
  }

  /** The path of a top-level field; '' names the object itself. */
  static of(first: string): FieldPath {
    return new FieldPath(undefined, first);
  }

  /** A field of this struct. */
  child(name: string): FieldPath {
    return this.parent === undefined && this.step === ''
      ? FieldPath.of(name)
      : new FieldPath(this, `.${name}`);
  }

  /** An entry of this list. */
  index(position: number): FieldPath {
    return new FieldPath(this, `[${String(position)}]`);
  }

  /** An entry of this map. */
  key(key: string): FieldPath {
    return new FieldPath(this, `[${key}]`);
  }

  toString(): string {
    return (this.parent?.toString() ?? '') + this.step;
  }
}
