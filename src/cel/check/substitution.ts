/** What the parameters of types stand for, found while an expression is checked (unification). */
import type { CelType } from '../language/types.ts';
import { dynType, isSameType, listOf, mapOf, opaque, typeOfType } from '../language/types.ts';

export class Substitution {
  private readonly bound = new Map<string, CelType>();
  /** What to put back when types do not fit after all. */
  private readonly trail: (readonly [name: string, before: CelType | undefined])[] = [];
  private fresh = 0;

  /** A parameter that is used nowhere else. */
  newParameter(): CelType {
    this.fresh += 1;
    return { kind: 'parameter', name: `_var${String(this.fresh)}` };
  }

  /** Types with parameters of their own in place of those of a signature. */
  instantiate(types: readonly CelType[]): CelType[] {
    const own = new Map<string, CelType>();
    const replace = (type: CelType): CelType => {
      if (type.kind !== 'parameter') return mapParts(type, replace);
      const known = own.get(type.name) ?? this.newParameter();
      own.set(type.name, known);
      return known;
    };
    return types.map(replace);
  }

  /** Whether values of each type may be given where the other is declared; what follows for parameters is kept then. */
  areAssignable(actual: readonly CelType[], declared: readonly CelType[]): boolean {
    if (actual.length !== declared.length) return false;
    const before = this.trail.length;
    const fits = actual.every((type, i) => this.fits(type, declared[i] ?? dynType));
    if (!fits) this.undo(before);
    return fits;
  }

  private undo(length: number): void {
    while (this.trail.length > length) {
      const [name, before] = this.trail.pop() ?? [''];
      if (before === undefined) this.bound.delete(name);
      else this.bound.set(name, before);
    }
  }

  private set(name: string, type: CelType): void {
    this.trail.push([name, this.bound.get(name)]);
    this.bound.set(name, type);
  }

  isAssignable(actual: CelType, declared: CelType): boolean {
    return this.areAssignable([actual], [declared]);
  }

  /** The type with all that is known of its parameters; with `isFinal`, unknown ones may be anything. */
  resolve(type: CelType, isFinal = false): CelType {
    if (type.kind !== 'parameter') return mapParts(type, (part) => this.resolve(part, isFinal));
    const known = this.bound.get(type.name);
    if (known) return this.resolve(known, isFinal);
    return isFinal ? dynType : type;
  }

  private fits(actual: CelType, declared: CelType): boolean {
    if (declared.kind === 'parameter') {
      const bound = this.bind(actual, declared.name);
      if (bound !== undefined) return bound;
    }
    if (actual.kind === 'parameter') return this.bind(declared, actual.name) ?? false;
    if (isAnything(actual) || isAnything(declared)) return true;
    if (actual.kind === 'null') return isNullable(declared);
    if (declared.kind === 'null') return isNullable(actual);
    return this.partsFit(actual, declared);
  }

  private partsFit(actual: CelType, declared: CelType): boolean {
    if (actual.kind === 'list') return declared.kind === 'list' && this.fits(actual.item, declared.item);
    if (actual.kind === 'map')
      return (
        declared.kind === 'map' &&
        this.fits(actual.key, declared.key) &&
        this.fits(actual.value, declared.value)
      );
    if (actual.kind === 'type') return declared.kind === 'type';
    if (actual.kind === 'opaque') {
      if (declared.kind !== 'opaque' || declared.name !== actual.name) return false;
      return actual.parameters.every((type, i) => this.fits(type, declared.parameters[i] ?? dynType));
    }
    return isSameType(actual, declared);
  }

  /** Undefined: the parameter cannot stand for the type, and nothing was known of it. */
  private bind(type: CelType, name: string): boolean | undefined {
    if (type.kind === 'parameter' && type.name === name) return true;
    const known = this.bound.get(name);
    if (known === undefined) {
      if (this.mentions(type, name)) return undefined;
      this.set(name, type);
      return true;
    }
    if (isSameType(type, known)) return true;
    if (!this.fits(type, known)) return false;
    const general = moreGeneral(type, known);
    if (!this.mentions(general, name)) this.set(name, general);
    return true;
  }

  /** Whether a type has the parameter inside. */
  private mentions(type: CelType, name: string): boolean {
    if (type.kind === 'parameter') {
      if (type.name === name) return true;
      const known = this.bound.get(type.name);
      return known !== undefined && this.mentions(known, name);
    }
    return partsOf(type).some((part) => this.mentions(part, name));
  }
}

function isAnything({ kind }: CelType): boolean {
  return kind === 'dyn' || kind === 'error';
}

function isNullable({ kind }: CelType): boolean {
  return ['null', 'object', 'opaque', 'timestamp', 'duration'].includes(kind);
}

function partsOf(type: CelType): readonly CelType[] {
  if (type.kind === 'list') return [type.item];
  if (type.kind === 'map') return [type.key, type.value];
  if (type.kind === 'type') return [type.of];
  return type.kind === 'opaque' ? type.parameters : [];
}

function mapParts(type: CelType, change: (part: CelType) => CelType): CelType {
  if (type.kind === 'list') return listOf(change(type.item));
  if (type.kind === 'map') return mapOf(change(type.key), change(type.value));
  if (type.kind === 'type') return typeOfType(change(type.of));
  return type.kind === 'opaque' && type.parameters.length > 0
    ? opaque(type.name, ...type.parameters.map(change))
    : type;
}

/** The type that says less, of two that fit each other. */
export function moreGeneral(a: CelType, b: CelType): CelType {
  return isLessSpecific(a, b) ? a : b;
}

function isLessSpecific(a: CelType, b: CelType): boolean {
  if (a.kind === 'dyn' || a.kind === 'parameter') return true;
  if (b.kind === 'dyn' || b.kind === 'parameter') return false;
  if (b.kind === 'null') return true;
  if (a.kind !== b.kind) return false;
  const others = partsOf(b);
  const parts = partsOf(a);
  return (
    parts.length === others.length &&
    parts.every(
      (part, i) => isLessSpecific(part, others[i] ?? dynType) || isSameType(part, others[i] ?? dynType),
    )
  );
}
