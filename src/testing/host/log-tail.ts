/** Keeps the last lines of a log in memory. */

/** Characters that are kept. */
const keptLength = 256 * 1024;

export class LogTail {
  #lines: string[] = [];
  #length = 0;

  /** A destination of lines, as pino takes it. */
  readonly write = (line: string): void => {
    this.#lines.push(line);
    this.#length += line.length;
    if (this.#length > 2 * keptLength) this.#trim();
  };

  text(): string {
    this.#trim();
    return this.#lines.join('');
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
