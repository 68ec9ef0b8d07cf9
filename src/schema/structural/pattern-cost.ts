/**
 * What a pattern costs to compile, estimated from its text alone: a few characters may stand for thousands of
 * instructions (`((x{10}){10}){10}`), and a class of letters for a table of Unicode.
 */

/** What is to be read before an instruction is made, in instructions (some 2 µs). */
const unicodeTable = 50;
const foldedTable = 150;
/** Folding goes through a range of letters one by one. */
const foldedRange = 2_500;
/** Ranges of a class that cost what an instruction does, wherever the class is repeated. */
const rangesPerInstruction = 32;
const rangesPerTable = 600;
/** Behind `[:` the engine looks for `:]` in all that follows; it passes so many characters in the time of an instruction. */
const soughtPerInstruction = 1_000;

/** Instructions that the pattern needs at most, with what reading it takes. Texts that are no pattern have a cost too. */
export function patternCost(text: string): number {
  return new CostReader(text).read();
}

const repetition = /\{(\d{1,4})(?:(,)(\d{0,4}))?\}/y;
/** Names are short: what looks for the end of a longer one would look through the rest of the text each time. */
const unicodeClass = /\\[pP](?:\{[^}]{0,64}\}|.)/suy;
const codePointEscape = /\\x(?:\{[^}]{0,16}\}|..)/suy;
const namedClass = /\[:\^?[a-z]{1,16}:\]/y;
const foldingFlag = /\(\?[a-zA-Z]*i/;
const wideRange = /[^\0-\x7f]|\\x|\\[pP]/;

class CostReader {
  private readonly text: string;
  private at = 0;
  /** Of the groups that are open, the outermost first. */
  private readonly outer: number[] = [];
  /** Instructions of the group that is read, and of its last part, which a repetition repeats. */
  private sum = 1;
  private last = 0;
  private reading: number;
  private readonly folds: boolean;

  constructor(text: string) {
    this.text = text;
    this.reading = text.length;
    this.folds = foldingFlag.test(text);
  }

  read(): number {
    while (this.at < this.text.length) this.step();
    return this.reading + this.outer.reduce((total, sum) => total + sum, this.sum);
  }

  private step(): void {
    switch (this.text.charAt(this.at)) {
      case '(':
        this.outer.push(this.sum);
        this.sum = 2;
        this.last = 0;
        this.at += 1;
        break;
      case ')':
        this.closeGroup();
        break;
      case '[':
        this.characterClass();
        break;
      case '{':
        this.repeat();
        break;
      case '\\':
        this.escape();
        break;
      default:
        this.atom(1, 1);
    }
  }

  private atom(instructions: number, length: number): void {
    this.last = instructions;
    this.sum += instructions;
    this.at += length;
  }

  private closeGroup(): void {
    const inner = this.sum;
    this.sum = this.outer.pop() ?? 0;
    this.atom(inner, 1);
  }

  private repeat(): void {
    const found = this.match(repetition);
    if (!found) {
      this.atom(1, 1);
      return;
    }
    const [whole, least = '', comma, most] = found;
    const times = most ? Number(most) : Number(least) + (comma ? 1 : 0);
    const more = this.last * Math.max(0, times - 1);
    this.sum += more;
    this.last += more;
    this.at += whole.length;
  }

  private escape(): void {
    const table = this.match(unicodeClass);
    if (table) {
      this.reading += this.folds ? foldedTable : unicodeTable;
      this.atom(1 + rangesPerTable / rangesPerInstruction, table[0].length);
    } else if (this.text.startsWith('\\Q', this.at)) this.literal();
    else this.atom(1, this.match(codePointEscape)?.[0].length ?? 2);
  }

  /** `\Q(\E`: what stands between is no group. */
  private literal(): void {
    const end = this.text.indexOf('\\E', this.at + 2);
    const length = (end < 0 ? this.text.length : end) - this.at - 2;
    this.sum += length;
    this.last = 1;
    this.at += length + (end < 0 ? 2 : 4);
  }

  private characterClass(): void {
    const end = this.endOfClass();
    const inside = this.text.slice(this.at + 1, end);
    const tables = inside.match(/\\[pP]/g)?.length ?? 0;
    this.reading += tables * (this.folds ? foldedTable : unicodeTable);
    if (this.folds && wideRange.test(inside)) this.reading += (inside.split('-').length - 1) * foldedRange;
    const ranges = inside.length + tables * rangesPerTable;
    this.atom(1 + ranges / rangesPerInstruction, end + 1 - this.at);
  }

  /** A bracket right at the beginning is a character of the class; `[:alpha:]` has one of its own. */
  private endOfClass(): number {
    let at = this.at + 1;
    if (this.text[at] === '^') at += 1;
    if (this.text[at] === ']') at += 1;
    while (at < this.text.length && this.text[at] !== ']') {
      const named = this.match(namedClass, at);
      if (named) at += named[0].length;
      else {
        if (this.text.startsWith('[:', at)) this.reading += (this.text.length - at) / soughtPerInstruction;
        at += this.text[at] === '\\' ? 2 : 1;
      }
    }
    return at;
  }

  private match(expression: RegExp, at = this.at): RegExpExecArray | null {
    expression.lastIndex = at;
    return expression.exec(this.text);
  }
}
