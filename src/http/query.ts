/** The query of a request, parsed once, unless it forgets. Malformed pairs are omitted and reported by `isMalformed`. */

const none: ReadonlyMap<string, readonly string[]> = new Map();

export class Query {
  /** The text after `?`, not decoded. */
  readonly text: string;
  private parsed: ReadonlyMap<string, readonly string[]> | undefined;
  private malformed = false;

  constructor(text: string) {
    this.text = text;
    if (text === '') this.parsed = none;
  }

  /** The first value, '' when the parameter is missing. */
  get(name: string): string {
    return this.values().get(name)?.[0] ?? '';
  }

  has(name: string): boolean {
    return this.values().has(name);
  }

  all(name: string): readonly string[] {
    return this.values().get(name) ?? [];
  }

  /** Each parameter with its first value. */
  *entries(): Generator<readonly [name: string, value: string]> {
    for (const [name, [value = '']] of this.values()) yield [name, value];
  }

  /** A boolean: true without a value or with any value but `0` and `false` (`watch=abc` watches). */
  flag(name: string): boolean {
    return this.optionalFlag(name) ?? false;
  }

  /** Like `flag`, but undefined if the parameter is missing. */
  optionalFlag(name: string): boolean | undefined {
    const value = this.values().get(name)?.[0];
    return value === undefined ? undefined : value !== '0' && value.toLowerCase() !== 'false';
  }

  /** True if a pair has an invalid escape or invalid UTF-8. */
  isMalformed(): boolean {
    this.values();
    return this.malformed;
  }

  /** Keeps the text alone until something is asked again. */
  forgetValues(): void {
    if (this.text !== '') this.parsed = undefined;
  }

  private values(): ReadonlyMap<string, readonly string[]> {
    return (this.parsed ??= this.parse());
  }

  private parse(): Map<string, string[]> {
    const values = new Map<string, string[]>();
    for (const pair of this.text.split('&')) {
      if (pair === '') continue;
      const equals = pair.indexOf('=');
      const name = decode(equals < 0 ? pair : pair.slice(0, equals));
      const value = equals < 0 ? '' : decode(pair.slice(equals + 1));
      if (name === undefined || value === undefined) {
        this.malformed = true;
        continue;
      }
      const known = values.get(name);
      if (known) known.push(value);
      else values.set(name, [value]);
    }
    return values;
  }
}

function decode(text: string): string | undefined {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return undefined;
  }
}
