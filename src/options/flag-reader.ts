/** Reads typed values out of flag texts. A value that cannot be used is an error, and its default stands in for it. */
import { messageOf } from '../base/errors.ts';
import type { StartErrorDetail } from '../base/start-error.ts';
import { parseDurationMs } from '../base/duration.ts';
import type { FlagDefinition } from './flag-definition.ts';

/** Texts of flags by name; undefined for flags that are not given. */
export type FlagValues = Readonly<Record<string, string | undefined>>;

/** The errors of flags, collected over all concerns. */
export class FlagErrors {
  private readonly values: StartErrorDetail[] = [];
  private readonly combinations: StartErrorDetail[] = [];

  addValue(cause: string, remedy: string): void {
    this.values.push({ code: 'FLAG_VALUE', cause, remedy });
  }

  addCombination(cause: string, remedy: string): void {
    this.combinations.push({ code: 'FLAG_COMBINATION', cause, remedy });
  }

  /** Errors of single values first. */
  all(): readonly StartErrorDetail[] {
    return [...this.values, ...this.combinations];
  }
}

interface Rule<T> {
  readonly parse: (text: string) => T | undefined;
  /** A description of valid values, for the remedy. */
  readonly expected: string;
}

export class FlagReader<Name extends string> {
  private readonly defaults: ReadonlyMap<string, string>;
  private readonly texts: FlagValues;
  private readonly errors: FlagErrors;

  /** @param flags the flags of one concern; no others can be read */
  constructor(
    flags: readonly (FlagDefinition & { readonly name: Name })[],
    texts: FlagValues,
    errors: FlagErrors,
  ) {
    this.defaults = new Map(flags.map((flag) => [flag.name, flag.default]));
    this.texts = texts;
    this.errors = errors;
  }

  /** Whether the flag was given with a non-empty value. */
  isGiven(name: Name): boolean {
    return (this.texts[name] ?? '') !== '';
  }

  text(name: Name): string {
    return this.texts[name] ?? this.defaultOf(name);
  }

  boolean(name: Name): boolean {
    const parse = (text: string): boolean | undefined => booleans.get(text.toLowerCase());
    return this.read(name, { parse, expected: 'true or false' });
  }

  integer(name: Name, min: number, max: number): number {
    const parse = (text: string): number | undefined => {
      const value = /^[0-9]{1,15}$/.test(text) ? Number(text) : NaN;
      return value >= min && value <= max ? value : undefined;
    };
    return this.read(name, { parse, expected: `a number from ${String(min)} to ${String(max)}` });
  }

  duration(name: Name): number {
    return this.read(name, { parse: nonNegativeMs, expected: 'a duration such as 10s, 5m or 1h30m' });
  }

  choice<T extends string>(name: Name, values: readonly T[]): T {
    const parse = (text: string): T | undefined => values.find((value) => value === text);
    return this.read(name, { parse, expected: values.join(' or ') });
  }

  list(name: Name): string[] {
    return this.text(name)
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean);
  }

  /** A value that `parse` reads; the message of its error is the cause. */
  parsed<T>(name: Name, parse: (text: string) => T, otherwise: T): T {
    try {
      return parse(this.text(name));
    } catch (error) {
      this.add(`flag --${name}: ${messageOf(error)}`, `fix the value of --${name}`);
      return otherwise;
    }
  }

  /** Reports an invalid value. */
  add(cause: string, remedy: string): void {
    this.errors.addValue(cause, remedy);
  }

  /** Reports that the value of this flag is invalid. */
  invalid(name: Name, remedy: string): void {
    this.add(`flag --${name} has the value ${JSON.stringify(this.text(name))}`, remedy);
  }

  /** Reports flags that conflict. */
  conflict(cause: string, remedy: string): void {
    this.errors.addCombination(cause, remedy);
  }

  /** Reports a flag that requires another one. */
  together(given: string, other: string): void {
    this.conflict(`${given} is given without ${other}`, `give ${other} too`);
  }

  /** Checks a flag that requires another one. */
  needs(given: Name, other: Name): void {
    if (this.isGiven(given) && !this.isGiven(other)) this.together(`--${given}`, `--${other}`);
  }

  private read<T>(name: Name, rule: Rule<T>): T {
    const value = rule.parse(this.text(name));
    if (value !== undefined) return value;
    this.invalid(name, `give ${rule.expected}`);
    const fallback = rule.parse(this.defaultOf(name));
    if (fallback === undefined) throw new Error(`the default of --${name} cannot be used`);
    return fallback;
  }

  private defaultOf(name: Name): string {
    return this.defaults.get(name) ?? '';
  }
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['t', true],
  ['1', true],
  ['false', false],
  ['f', false],
  ['0', false],
]);

function nonNegativeMs(text: string): number | undefined {
  const ms = parseDurationMs(text);
  return ms !== undefined && ms >= 0 ? ms : undefined;
}
