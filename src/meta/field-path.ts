import { pathOfSteps, shortText } from '../base/short-text.ts';

/** Where in an object an error lies: `spec.containers[0].image`, `metadata.labels[app]`. */
export class FieldPath {
  private readonly parent: FieldPath | undefined;
  /** Converted to text only on demand: every rule makes paths, few of them find an error. */
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

  /** In words; very long keys and ways are cut, so that many errors below a long key stay short. */
  toString(): string {
    const steps: FieldPath[] = [this];
    for (let around = this.parent; around; around = around.parent) steps.push(around);
    return pathOfSteps(steps.reverse(), (path) => path.words());
  }

  private words(): string {
    const step = shortText(String(this.step));
    if (this.parent === undefined) return step;
    return this.isField ? `.${step}` : `[${step}]`;
  }
}
