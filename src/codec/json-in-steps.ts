/** JSON text of large values in pieces: JSON.stringify takes tens of milliseconds for some megabytes, and cannot be interrupted. */
import { isSmall } from '../base/is-small.ts';
import { isObject, type JsonArray, type JsonObject, type JsonValue } from '../base/json.ts';

/** Written at once, in some microseconds. */
const mostAtOnce = 64;
/** Characters of a piece, about; one long text is a piece by itself. */
const pieceLength = 8 * 1024;

/** Of fewer spaces it does not matter how many they are. */
const fewSpaces = 1024 * 1024;
/** Spaces for each other character, at most: objects have one or two. */
const mostOfCharacter = 4;

/** Whether indentation is by far the most of a text. @param length of the text without it */
export function areMostlySpaces(spaces: number, length: () => number): boolean {
  return spaces > fewSpaces && spaces > mostOfCharacter * length();
}

/**
 * The text that `JSON.stringify(value, undefined, indent)` gives, in pieces of some kilobytes. Where it is indented, each
 * piece but the first begins with the end of a line. Of members that lie so deep that nearly all would be spaces, lines begin
 * without.
 */
export function* jsonInSteps(value: JsonValue, indent = 0): Generator<string, void, void> {
  const writer = new Writer(indent);
  yield* writer.write(value, '');
  yield writer.take();
}

class Writer {
  readonly #indent: number;
  #text = '';
  /** Of what was taken, spaces included. */
  #taken = 0;
  /** In front of lines. */
  #spaces = 0;

  constructor(indent: number) {
    this.#indent = indent;
  }

  take(): string {
    const text = this.#text;
    this.#text = '';
    this.#taken += text.length;
    return text;
  }

  /** @param margin what stands before each line of the value but its first */
  *write(value: JsonValue, margin: string): Generator<string, void, void> {
    if (isSmall(value, mostAtOnce)) this.#text += this.#plain(value, margin);
    else if (Array.isArray(value)) yield* this.#list(value, margin);
    else if (isObject(value)) yield* this.#object(value, margin);
  }

  *#list(list: JsonArray, margin: string): Generator<string, void, void> {
    const inner = this.#inner(margin);
    this.#text += '[';
    for (const [i, item] of list.entries()) {
      if (i > 0) this.#text += ',';
      if (this.#text.length > pieceLength) yield this.take();
      this.#text += this.#line(inner);
      yield* this.write(item, inner);
    }
    this.#text += `${this.#line(margin)}]`;
  }

  *#object(object: JsonObject, margin: string): Generator<string, void, void> {
    const inner = this.#inner(margin);
    let isEmpty = true;
    this.#text += '{';
    for (const key of Object.keys(object)) {
      const member = object[key];
      if (member === undefined) continue;
      if (!isEmpty) this.#text += ',';
      isEmpty = false;
      if (this.#text.length > pieceLength) yield this.take();
      this.#text += `${this.#line(inner)}${JSON.stringify(key)}:${this.#indent > 0 ? ' ' : ''}`;
      yield* this.write(member, inner);
    }
    this.#text += `${isEmpty ? '' : this.#line(margin)}}`;
  }

  #plain(value: JsonValue, margin: string): string {
    const text = JSON.stringify(value, undefined, this.#indent);
    // Texts in JSON have no ends of lines.
    return margin === '' ? text : text.replaceAll('\n', () => this.#line(margin));
  }

  #inner(margin: string): string {
    return margin + ' '.repeat(this.#indent);
  }

  #line(margin: string): string {
    if (this.#indent === 0) return '';
    const spaces = this.#spaces + margin.length;
    if (areMostlySpaces(spaces, () => this.#taken + this.#text.length - this.#spaces)) return '\n';
    this.#spaces = spaces;
    return `\n${margin}`;
  }
}
