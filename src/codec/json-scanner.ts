/**
 * A second, slower reading of JSON text for what JSON.parse does not tell: where exactly a syntax error lies,
 * and which keys are given twice. It keeps its own stack, so depth costs no call stack.
 */
import { pathOfSteps, shortText } from '../base/short-text.ts';
import { DecodeError } from './decode-error.ts';

interface Level {
  /** Keys so far; undefined in a list. */
  readonly keys: Set<string> | undefined;
  /** Keys that were given more than once. */
  readonly repeated: Set<string>;
  count: number;
  key: string;
}

const literal = /true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y;
const quoted = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const blank = /[ \t\n\r]*/y;

/** Maximum number of reported duplicate keys; paths may be long. */
const maxDuplicates = 100;

/**
 * Reads the whole text.
 * @returns the paths of keys that are given more than once, each once, in order of appearance, 100 at most
 * @throws DecodeError with the position of the first syntax error
 */
export function scanJson(text: string): string[] {
  return new JsonScanner(text).run();
}

class JsonScanner {
  private readonly text: string;
  private at = 0;
  private readonly stack: Level[] = [];
  private readonly duplicates: string[] = [];

  constructor(text: string) {
    this.text = text;
  }

  run(): string[] {
    do this.value();
    while (this.next());
    this.skipBlank();
    if (this.at < this.text.length) this.fail('after the end of the value');
    return this.duplicates;
  }

  /** Reads a scalar, or opens a list or object up to its first value (an empty one is read whole). */
  private value(): void {
    for (;;) {
      this.skipBlank();
      const char = this.text[this.at];
      if (char !== '{' && char !== '[') break;
      this.at += 1;
      this.stack.push(this.level(char === '{'));
      this.skipBlank();
      if (this.text[this.at] === (char === '{' ? '}' : ']')) return;
      if (char === '{') this.member();
    }
    const pattern = this.text[this.at] === '"' ? quoted : literal;
    if (this.match(pattern) === undefined) this.fail('looking for a value');
  }

  private level(isObject: boolean): Level {
    return {
      keys: isObject ? new Set() : undefined,
      repeated: new Set(),
      count: 0,
      key: '',
    };
  }

  /** Moves to the next value; closes what ends here. False when the outermost value is complete. */
  private next(): boolean {
    for (let level = this.stack.at(-1); level; level = this.stack.at(-1)) {
      this.skipBlank();
      const char = this.text[this.at];
      this.at += 1;
      if (char === ',') {
        level.count += 1;
        if (level.keys) this.member();
        return true;
      }
      if (char !== (level.keys ? '}' : ']')) {
        this.at -= 1;
        this.fail(level.keys ? 'after an object member' : 'after a list item');
      }
      this.stack.pop();
    }
    return false;
  }

  private member(): void {
    this.skipBlank();
    const token = this.match(quoted);
    if (token === undefined) this.fail('looking for a key');
    const key = JSON.parse(token) as string;
    this.skipBlank();
    if (this.text[this.at] !== ':') this.fail('after a key');
    this.at += 1;
    const level = this.stack.at(-1);
    if (!level?.keys) return;
    level.key = key;
    if (level.keys.has(key) && !level.repeated.has(key)) {
      level.repeated.add(key);
      if (this.duplicates.length < maxDuplicates) this.duplicates.push(this.path());
    }
    level.keys.add(key);
  }

  /** Put together only for a key that is repeated: some 5,000 levels of an ordinary body would each copy that of the one around. */
  private path(): string {
    return pathOfSteps(this.stack, (level, isFirst) => {
      if (!level.keys) return `[${String(level.count)}]`;
      const key = shortText(level.key);
      return isFirst ? key : `.${key}`;
    });
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  private skipBlank(): void {
    this.match(blank);
  }

  private fail(where: string): never {
    const code = this.text.codePointAt(this.at);
    if (code === undefined) throw new DecodeError('invalid JSON: unexpected end of input');
    const what =
      code === 0xfeff ? 'byte order mark' : `character ${JSON.stringify(String.fromCodePoint(code))}`;
    throw new DecodeError(`invalid JSON: unexpected ${what} ${where}, at position ${String(this.at)}`);
  }
}
