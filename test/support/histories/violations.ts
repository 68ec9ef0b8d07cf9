/** Violations in words, a bounded number of them; the last line counts the rest. */

const most = 20;

export class Violations {
  readonly #lines: string[] = [];
  #further = 0;

  add(line: string): void {
    if (this.#lines.length < most) this.#lines.push(line);
    else this.#further += 1;
  }

  list(): string[] {
    return this.#further === 0 ? this.#lines : [...this.#lines, `and ${String(this.#further)} more`];
  }
}
