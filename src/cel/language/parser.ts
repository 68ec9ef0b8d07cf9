/** Reads an expression: recursive descent by the grammar of the language definition, bounded in size and depth. */
import { SyntaxIssue } from './errors.ts';
import { ExprBuilder } from './expr-builder.ts';
import type { Expr, MapEntry, StructEntry } from './expression.ts';
import type { Token } from './lexer.ts';
import { tokensOf } from './lexer.ts';
import type { Macros } from './macros.ts';

export interface ParserOptions {
  readonly macros: Macros;
  /** `a.?b`, `a[?b]`, `[?a]`, `{?a: b}`. */
  readonly optionals: boolean;
  /** ``a.`b-c` ``: names of fields in backquotes. */
  readonly quotedNames: boolean;
}

/** What the longest field for an expression may have, that of device selectors; most have some hundreds of characters, and these take 25 ms at worst. */
export const maxTextLength = 10 * 1024;

const reserved: ReadonlySet<string> = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

const relations: ReadonlyMap<string, string> = new Map([
  ['==', '_==_'],
  ['!=', '_!=_'],
  ['<', '_<_'],
  ['<=', '_<=_'],
  ['>', '_>_'],
  ['>=', '_>=_'],
  ['in', '@in'],
]);
const additions: ReadonlyMap<string, string> = new Map([
  ['+', '_+_'],
  ['-', '_-_'],
]);
const multiplications: ReadonlyMap<string, string> = new Map([
  ['*', '_*_'],
  ['/', '_/_'],
  ['%', '_%_'],
]);

/** The tree of a text. @throws SyntaxIssue */
export function parse(text: string, options: ParserOptions): Expr {
  if (text.length > maxTextLength)
    throw new SyntaxIssue(0, `an expression may have ${String(maxTextLength)} characters: make it shorter`);
  return new Parser(tokensOf(text), options).whole();
}

class Parser {
  private readonly tokens: readonly Token[];
  private readonly options: ParserOptions;
  private readonly builder = new ExprBuilder();
  private place = 0;

  constructor(tokens: readonly Token[], options: ParserOptions) {
    this.tokens = tokens;
    this.options = options;
  }

  whole(): Expr {
    const expr = this.expr();
    if (this.token.kind !== 'end') throw this.unexpected();
    return expr;
  }

  private get token(): Token {
    const token = this.tokens[this.place];
    if (token === undefined) throw new Error('read beyond the end of an expression');
    return token;
  }

  private unexpected(): SyntaxIssue {
    const { at, kind, text } = this.token;
    const found = kind === 'end' ? text : `'${text}'`;
    return new SyntaxIssue(at, `Syntax error: unexpected ${found}`);
  }

  private next(): Token {
    const { token } = this;
    if (token.kind !== 'end') this.place += 1;
    return token;
  }

  private isAt(text: string): boolean {
    const { token } = this;
    return token.kind === 'sign' && token.text === text;
  }

  private skips(text: string): boolean {
    if (!this.isAt(text)) return false;
    this.place += 1;
    return true;
  }

  private need(text: string): Token {
    if (!this.isAt(text)) throw this.unexpected();
    return this.next();
  }

  private expr(): Expr {
    return this.builder.nested(this.token.at, () => {
      const condition = this.either();
      if (!this.isAt('?')) return condition;
      const { at } = this.next();
      const yes = this.either();
      this.need(':');
      return this.builder.call(at, '_?_:_', [condition, yes, this.expr()]);
    });
  }

  private either(): Expr {
    return this.chain('||', '_||_', () =>
      this.chain('&&', '_&&_', () => this.binary(relations, () => this.sum())),
    );
  }

  /** Operands of `&&` and `||` make a balanced tree: there may be hundreds. */
  private chain(sign: string, name: string, operand: () => Expr): Expr {
    const operands = [operand()];
    const places: number[] = [];
    while (this.isAt(sign)) {
      places.push(this.next().at);
      operands.push(operand());
    }
    return this.builder.balanced(name, operands, places);
  }

  private binary(signs: ReadonlyMap<string, string>, operand: () => Expr): Expr {
    let left = operand();
    for (;;) {
      const { kind, text, at } = this.token;
      const name = kind === 'sign' ? signs.get(text) : undefined;
      if (name === undefined) return left;
      this.place += 1;
      left = this.builder.call(at, name, [left, operand()]);
    }
  }

  private sum(): Expr {
    return this.binary(additions, () => this.binary(multiplications, () => this.unary()));
  }

  private unary(): Expr {
    const { at } = this.token;
    if (this.isAt('!')) return this.repeated('!', '!_', at);
    if (!this.isAt('-')) return this.member(this.primary());
    const following = this.tokens[this.place + 1];
    if (following?.kind === 'literal' && isSigned(following)) {
      this.place += 2;
      return this.member(this.builder.signedLiteral(following, at, true));
    }
    return this.repeated('-', '-_', at);
  }

  /** An even number of signs cancels out. */
  private repeated(sign: string, name: string, at: number): Expr {
    let count = 0;
    while (this.skips(sign)) count += 1;
    const operand = this.member(this.primary());
    return count % 2 === 0 ? operand : this.builder.call(at, name, [operand]);
  }

  private member(start: Expr): Expr {
    let operand = start;
    for (;;) {
      const { at } = this.token;
      if (this.skips('.')) operand = this.afterDot(operand, at);
      else if (this.skips('[')) operand = this.index(operand, at);
      else return operand;
    }
  }

  private afterDot(operand: Expr, dot: number): Expr {
    if (this.isAt('?')) {
      const { at } = this.optionalMark();
      const field = this.builder.literal(this.token.at, this.fieldName());
      return this.builder.call(at, '_?._', [operand, field]);
    }
    const { at, kind } = this.token;
    const name = this.fieldName();
    if (!this.isAt('(') || kind === 'quoted') return this.builder.select(dot, operand, name);
    const open = this.next();
    const args = this.list(')');
    const { macros } = this.options;
    return (
      macros.expand({ at, name, target: operand, args }, this.builder) ??
      this.builder.call(open.at, name, args, operand)
    );
  }

  private optionalMark(): Token {
    if (!this.options.optionals) throw new SyntaxIssue(this.token.at, "unsupported syntax '.?'");
    return this.next();
  }

  private index(operand: Expr, at: number): Expr {
    const isOptional = this.isAt('?');
    if (isOptional) this.optionalMark();
    const index = this.expr();
    this.need(']');
    return this.builder.call(at, isOptional ? '_[?_]' : '_[_]', [operand, index]);
  }

  private fieldName(): string {
    const token = this.next();
    if (token.kind === 'ident') return token.text;
    if (token.kind === 'quoted' && typeof token.value === 'string') {
      if (this.options.quotedNames) return token.value;
      throw new SyntaxIssue(token.at, "unsupported syntax: '`'");
    }
    this.place -= token.kind === 'end' ? 0 : 1;
    throw this.unexpected();
  }

  /** Expressions up to the closing sign. */
  private list(closing: string): Expr[] {
    const items: Expr[] = [];
    while (!this.isAt(closing)) {
      items.push(this.expr());
      if (!this.skips(',')) break;
      if (this.isAt(closing)) throw this.unexpected();
    }
    this.need(closing);
    return items;
  }

  private primary(): Expr {
    const { token } = this;
    if (token.kind === 'literal') {
      this.place += 1;
      return this.builder.signedLiteral(token, token.at, false);
    }
    if (token.kind === 'ident') return this.named('');
    if (this.skips('(')) {
      const inner = this.expr();
      this.need(')');
      return inner;
    }
    if (this.skips('[')) return this.listLiteral(token.at);
    if (this.skips('{')) return this.builder.map(token.at, this.mapEntries());
    if (this.skips('.') && this.token.kind === 'ident') return this.named('.');
    throw this.unexpected();
  }

  private named(dot: string): Expr {
    const { at, text } = this.next();
    const isMessage = this.messageName();
    if (isMessage !== undefined) return this.message(at, dot + text + isMessage);
    if (reserved.has(text)) throw new SyntaxIssue(at, `reserved identifier: ${text}`);
    if (!this.isAt('(')) return this.builder.ident(at, dot + text);
    const open = this.next();
    const args = this.list(')');
    return (
      (dot === ''
        ? this.options.macros.expand({ at, name: text, target: undefined, args }, this.builder)
        : undefined) ?? this.builder.call(open.at, dot + text, args)
    );
  }

  /** The rest of a name that `{` follows, as of messages; it is skipped then. */
  private messageName(): string | undefined {
    let name = '';
    let place = this.place;
    for (;;) {
      const token = this.tokens[place];
      if (token?.kind === 'sign' && token.text === '{') break;
      const following = this.tokens[place + 1];
      if (token?.kind !== 'sign' || token.text !== '.' || following?.kind !== 'ident') return undefined;
      name += `.${following.text}`;
      place += 2;
    }
    this.place = place;
    return name;
  }

  private message(at: number, name: string): Expr {
    this.need('{');
    const entries: StructEntry[] = [];
    while (!this.isAt('}')) {
      const isOptional = this.isAt('?');
      if (isOptional) this.optionalMark();
      const field = this.fieldName();
      this.need(':');
      entries.push({ name: field, value: this.expr(), isOptional });
      if (!this.skips(',')) break;
    }
    this.need('}');
    return this.builder.struct(at, name, entries);
  }

  private listLiteral(at: number): Expr {
    const items: Expr[] = [];
    const optional = new Set<number>();
    while (!this.isAt(']')) {
      if (this.isAt('?')) {
        this.optionalMark();
        optional.add(items.length);
      }
      items.push(this.expr());
      if (!this.skips(',')) break;
    }
    this.need(']');
    return this.builder.list(at, items, optional);
  }

  private mapEntries(): MapEntry[] {
    const entries: MapEntry[] = [];
    while (!this.isAt('}')) {
      const isOptional = this.isAt('?');
      if (isOptional) this.optionalMark();
      const key = this.expr();
      this.need(':');
      entries.push({ key, value: this.expr(), isOptional });
      if (!this.skips(',')) break;
    }
    this.need('}');
    return entries;
  }
}

function isSigned({ value }: Token): boolean {
  return typeof value === 'bigint' || typeof value === 'number';
}
