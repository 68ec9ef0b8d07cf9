/** Reads typed values out of flag texts. A value that cannot be used is a fault, and its default stands in for it. */
import { messageOf } from '../base/errors.ts';
import type { Fault } from '../server/faults.ts';
import { parseDuration } from './duration.ts';
import { serveFlags, type FlagName } from './flags.ts';

export type FlagTexts = Readonly<Partial<Record<FlagName, string>>>;

interface Rule<T> {
  readonly parse: (text: string) => T | undefined;
  /** What a value must be, for the remedy. */
  readonly expected: string;
}

export class FlagReader {
  readonly faults: Fault[] = [];
  private readonly texts: FlagTexts;

  constructor(texts: FlagTexts) {
    this.texts = texts;
  }

  /** True when the flag was given with a value that is not empty. */
  isGiven(name: FlagName): boolean {
    return (this.texts[name] ?? '') !== '';
  }

  text(name: FlagName): string {
    return this.texts[name] ?? defaultOf(name);
  }

  boolean(name: FlagName): boolean {
    const parse = (text: string): boolean | undefined => booleans[text.toLowerCase()];
    return this.read(name, { parse, expected: 'true or false' });
  }

  integer(name: FlagName, min: number, max: number): number {
    const parse = (text: string): number | undefined => {
      const value = /^[0-9]{1,12}$/.test(text) ? Number(text) : NaN;
      return value >= min && value <= max ? value : undefined;
    };
    return this.read(name, { parse, expected: `a number from ${String(min)} to ${String(max)}` });
  }

  duration(name: FlagName): number {
    return this.read(name, { parse: parseDuration, expected: 'a duration such as 10s, 5m or 1h30m' });
  }

  choice<T extends string>(name: FlagName, values: readonly T[]): T {
    const parse = (text: string): T | undefined => values.find((value) => value === text);
    return this.read(name, { parse, expected: values.join(' or ') });
  }

  list(name: FlagName): string[] {
    return this.text(name)
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean);
  }

  /** A value that another room parses; what it throws is the cause. */
  parsed<T>(name: FlagName, parse: (text: string) => T, otherwise: T): T {
    try {
      return parse(this.text(name));
    } catch (error) {
      this.add(`flag --${name}: ${messageOf(error)}`, `correct the value of --${name}`);
      return otherwise;
    }
  }

  add(cause: string, remedy: string): void {
    this.faults.push({ code: 'FLAG_VALUE', cause, remedy });
  }

  private read<T>(name: FlagName, rule: Rule<T>): T {
    const value = rule.parse(this.text(name));
    if (value !== undefined) return value;
    this.add(`flag --${name} has the value ${JSON.stringify(this.text(name))}`, `give ${rule.expected}`);
    const fallback = rule.parse(defaultOf(name));
    if (fallback === undefined) throw new Error(`the default of --${name} cannot be used`);
    return fallback;
  }
}

const booleans: Readonly<Record<string, boolean | undefined>> = {
  true: true,
  t: true,
  '1': true,
  false: false,
  f: false,
  '0': false,
};

function defaultOf(name: FlagName): string {
  return serveFlags.find((flag) => flag.name === name)?.default ?? '';
}
