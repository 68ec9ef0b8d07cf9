/** Keeps the last lines of a log in memory. */

/** Characters that are kept. */
const keptLength = 256 * 1024;

export class LogTail {
  readonly #output: { write(line: string): unknown } | undefined;
  #lines: string[] = [];
  #length = 0;
  #written = 0;

  /** @param output gets the lines as well */
  constructor(output?: { write(line: string): unknown }) {
    this.#output = output;
  }

  /** A destination of lines, as pino takes it. */
  readonly write = (line: string): void => {
    this.#output?.write(line);
    this.#lines.push(line);
    this.#length += line.length;
    this.#written += line.length;
    if (this.#length > 2 * keptLength) this.#trim();
  };

  /** How many characters were written. */
  get position(): number {
    return this.#written;
  }

  /** @param after a position; default: all that is kept */
  text(after = 0): string {
    this.#trim();
    const text = this.#lines.join('');
    return text.slice(Math.max(0, after - (this.#written - this.#length)));
  }

  #trim(): void {
    let first = 0;
    while (this.#length > keptLength && first < this.#lines.length - 1) {
      this.#length -= this.#lines[first]?.length ?? 0;
      first += 1;
    }
    this.#lines = this.#lines.slice(first);
  }
}
