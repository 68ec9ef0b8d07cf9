/** Comma-separated values with full quoting: `a,"b,c","say ""x"""`; a quoted field may span lines. */

export interface CsvRecord {
  /** Line of the file on which the record starts, from 1. */
  readonly line: number;
  readonly fields: readonly string[];
}

export interface CsvError {
  readonly line: number;
  readonly problem: string;
}

export interface CsvResult {
  readonly records: readonly CsvRecord[];
  readonly errors: readonly CsvError[];
}

/** More are not looked for: a file may have millions of lines, and be none of the kind. */
export const mostCsvErrors = 100_000;

/**
 * Parses a text; empty lines are skipped, invalid records are reported and omitted.
 * @param take gets each valid record, and says whether to go on
 */
export function parseCsv(text: string, take: (record: CsvRecord) => boolean = () => true): CsvResult {
  const parser = new CsvParser(text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n'), take);
  parser.run();
  return parser;
}

class CsvParser implements CsvResult {
  readonly records: CsvRecord[] = [];
  readonly errors: CsvError[] = [];
  private readonly text: string;
  private readonly takeRecord: (record: CsvRecord) => boolean;
  private position = 0;
  private line = 1;
  private isOver = false;

  constructor(text: string, takeRecord: (record: CsvRecord) => boolean) {
    this.text = text;
    this.takeRecord = takeRecord;
  }

  run(): void {
    while (this.position < this.text.length && !this.isOver) {
      if (this.text[this.position] === '\n') this.step();
      else this.record();
    }
  }

  private record(): void {
    const line = this.line;
    const fields: string[] = [];
    let problem = '';
    do {
      const field = this.text[this.position] === '"' ? this.quoted() : this.plain();
      if ('problem' in field) problem ||= field.problem;
      else fields.push(field.value);
    } while (this.take(','));
    this.take('\n');
    if (problem === '') this.found({ line, fields });
    else this.isOver = this.errors.push({ line, problem }) >= mostCsvErrors;
  }

  private found(record: CsvRecord): void {
    this.records.push(record);
    this.isOver = !this.takeRecord(record);
  }

  private plain(): { value: string } | { problem: string } {
    const value = this.upToSeparator();
    return value.includes('"') ? { problem: 'a quote inside a field that is not quoted' } : { value };
  }

  private quoted(): { value: string } | { problem: string } {
    this.step();
    let value = '';
    while (this.position < this.text.length) {
      if (this.text[this.position] !== '"') value += this.step();
      else if (this.text[this.position + 1] === '"') {
        value += this.step();
        this.step();
      } else return this.endOfQuoted(value);
    }
    return { problem: 'the closing quote is missing' };
  }

  private endOfQuoted(value: string): { value: string } | { problem: string } {
    this.step();
    return this.upToSeparator() === '' ? { value } : { problem: 'text after a closing quote' };
  }

  private upToSeparator(): string {
    const start = this.position;
    while (this.position < this.text.length && !',\n'.includes(this.text.charAt(this.position)))
      this.position++;
    return this.text.slice(start, this.position);
  }

  private take(expected: string): boolean {
    if (this.text[this.position] !== expected) return false;
    this.step();
    return true;
  }

  private step(): string {
    const character = this.text.charAt(this.position++);
    if (character === '\n') this.line++;
    return character;
  }
}
