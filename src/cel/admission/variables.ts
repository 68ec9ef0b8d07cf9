/** Variables of a policy (`variables.x`): each has the type that its expression has, and is evaluated when it is first used. */
import { EvaluationError } from '../language/errors.ts';
import { dynType, type CelType } from '../language/types.ts';
import { CelStruct, type CelValue } from '../language/values.ts';
import type { Compiled } from '../program.ts';

/** The type of `variables`: it grows with each that is compiled, so that a variable knows those before it. */
export class VariableTypes {
  private readonly types = new Map<string, CelType>();
  readonly type: CelType = {
    kind: 'object',
    name: 'kubernetes.variables',
    fields: { fieldType: (name) => this.types.get(name) },
  };

  /** @param type undefined: it did not compile, which is reported where it stands */
  add(name: string, type: CelType | undefined): void {
    this.types.set(name, type ?? dynType);
  }
}

/** The value of `variables` for one request. */
export class VariableValues extends CelStruct {
  override readonly type: CelType;
  private readonly compiled: ReadonlyMap<string, Compiled>;
  private readonly evaluate: (compiled: Compiled) => CelValue;
  private readonly known = new Map<string, CelValue | EvaluationError>();

  /** @param evaluate gives the value of one. It throws EvaluationError. */
  constructor(
    type: CelType,
    compiled: ReadonlyMap<string, Compiled>,
    evaluate: (compiled: Compiled) => CelValue,
  ) {
    super();
    this.type = type;
    this.compiled = compiled;
    this.evaluate = evaluate;
  }

  override names(): Iterable<string> {
    return this.compiled.keys();
  }

  override field(name: string): CelValue | undefined {
    const compiled = this.compiled.get(name);
    if (!compiled) return undefined;
    let value = this.known.get(name);
    if (value === undefined) this.known.set(name, (value = this.made(name, compiled)));
    if (value instanceof EvaluationError) throw value;
    return value;
  }

  private made(name: string, compiled: Compiled): CelValue | EvaluationError {
    try {
      return this.evaluate(compiled);
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
      return new EvaluationError(
        `composited variable ${JSON.stringify(name)} fails to evaluate: ${error.message}`,
      );
    }
  }
}
