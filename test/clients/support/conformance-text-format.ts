/** Messages in the text format of Protocol Buffers, without their types: a field's name gives the values that stand beside it. */

/** A text, or a word: a number, the name of a value of an enumeration, true or false. */
interface TextScalar {
  readonly bytes?: Buffer;
  readonly word?: string;
}

export class TextMessage {
  private readonly fields = new Map<string, (TextScalar | TextMessage)[]>();

  add(name: string, value: TextScalar | TextMessage): void {
    const values = this.fields.get(name) ?? [];
    this.fields.set(name, [...values, value]);
  }

  names(): string[] {
    return [...this.fields.keys()];
  }

  has(name: string): boolean {
    return this.fields.has(name);
  }

  messages(name: string): TextMessage[] {
    return (this.fields.get(name) ?? []).filter((value) => value instanceof TextMessage);
  }

  message(name: string): TextMessage | undefined {
    return this.messages(name)[0];
  }

  /** The number or name that a field has; '' when it is absent. */
  word(name: string): string {
    return this.scalar(name).word ?? '';
  }

  /** Nothing when the field is absent. */
  bytes(name: string): Buffer {
    return this.scalar(name).bytes ?? Buffer.alloc(0);
  }

  text(name: string): string {
    return this.bytes(name).toString();
  }

  private scalar(name: string): TextScalar {
    const value = this.fields.get(name)?.[0];
    return value === undefined || value instanceof TextMessage ? {} : value;
  }
}

/** @throws Error with the place where the text breaks the format's rules */
export function readTextFormat(text: string): TextMessage {
  const reader = new Reader(text);
  return reader.message('');
}

const token =
  /(?:\s|#[^\n]*)*(?:(?<quoted>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(?<bracketed>\[[\w./]+\])|(?<word>-?[\w.]+(?:(?<=[0-9.][eE])[+-]\d+)?)|(?<mark>[{}<>[\]:,;])|$)/y;

interface Token {
  /** As it stands in the text; '' at its end. */
  readonly all: string;
  readonly quoted?: string;
  readonly bracketed?: string;
  readonly word?: string;
}

class Reader {
  private readonly text: string;
  private place = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** Fields as far as the closing mark; '' for the end of the text. */
  message(end: string): TextMessage {
    const message = new TextMessage();
    for (let name = this.next(); name.all !== end; name = this.next()) {
      if (name.all === ',' || name.all === ';') continue;
      if (name.word === undefined && name.bracketed === undefined) throw this.wrong('a name');
      for (const value of this.values()) message.add(name.all, value);
    }
    return message;
  }

  /** One, or a list of them. */
  private values(): (TextScalar | TextMessage)[] {
    let first = this.next();
    if (first.all === ':') first = this.next();
    if (first.all !== '[') return [this.value(first)];
    const values: (TextScalar | TextMessage)[] = [];
    for (let item = this.next(); item.all !== ']'; item = this.next())
      if (item.all !== ',') values.push(this.value(item));
    return values;
  }

  private value(first: Token): TextScalar | TextMessage {
    if (first.all === '{') return this.message('}');
    if (first.all === '<') return this.message('>');
    if (first.word !== undefined) return { word: first.word };
    if (first.quoted === undefined) throw this.wrong('a value');
    return { bytes: Buffer.concat([unquoted(first.quoted), ...this.moreTexts()]) };
  }

  /** Texts beside each other are one. */
  private moreTexts(): Buffer[] {
    const texts: Buffer[] = [];
    for (;;) {
      const { place } = this;
      const { quoted } = this.next();
      if (quoted === undefined) {
        this.place = place;
        return texts;
      }
      texts.push(unquoted(quoted));
    }
  }

  private next(): Token {
    token.lastIndex = this.place;
    const found = token.exec(this.text);
    if (!found) throw this.wrong('a name or a value');
    this.place = token.lastIndex;
    const { quoted, bracketed, word, mark } = found.groups ?? {};
    return {
      all: quoted ?? bracketed ?? word ?? mark ?? '',
      ...(quoted !== undefined && { quoted }),
      ...(bracketed !== undefined && { bracketed }),
      ...(word !== undefined && { word }),
    };
  }

  private wrong(wanted: string): Error {
    const line = this.text.slice(0, this.place).split('\n').length;
    return new Error(`line ${String(line)}: expected ${wanted}`);
  }
}

const escape =
  /\\(?:(?<octal>[0-7]{1,3})|[xX](?<hex>[0-9a-fA-F]{1,2})|u(?<short>[0-9a-fA-F]{4})|U(?<long>[0-9a-fA-F]{8})|(?<letter>.))/g;

const letters: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', f: '\f', n: '\n' },
  ...{ r: '\r', t: '\t', v: '\v' },
};

function unquoted(quoted: string): Buffer {
  const inside = quoted.slice(1, -1);
  const parts: Buffer[] = [];
  let end = 0;
  for (const found of inside.matchAll(escape)) {
    parts.push(Buffer.from(inside.slice(end, found.index)), escaped(found.groups ?? {}));
    end = found.index + found[0].length;
  }
  return Buffer.concat([...parts, Buffer.from(inside.slice(end))]);
}

function escaped({ octal, hex, short, long, letter = '' }: Record<string, string | undefined>): Buffer {
  if (octal !== undefined) return Buffer.from([parseInt(octal, 8)]);
  if (hex !== undefined) return Buffer.from([parseInt(hex, 16)]);
  const point = short ?? long;
  return Buffer.from(
    point === undefined ? (letters[letter] ?? letter) : String.fromCodePoint(parseInt(point, 16)),
  );
}
