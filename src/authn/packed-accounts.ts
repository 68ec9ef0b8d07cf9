/**
 * Accounts of a file that may be replaced, and the form in which processes send them to each other: as one text, JSON line
 * by line. A process is sent thousands of them in a copy of bytes, and reads them in slices, where as many objects would
 * hold its thread while they arrive.
 */
import { Slice } from '../base/cooperate.ts';

export type PackedAccounts = string;

export function packAccounts(lines: readonly object[]): PackedAccounts {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** So many are read between two looks at the time. */
const perLook = 64;

export class Accounts<Line, Account> {
  readonly #read: (line: Line) => readonly [key: string, account: Account];
  #packed: PackedAccounts;
  #accounts: ReadonlyMap<string, Account>;

  /** @param read makes an account of a line, and what it is looked up by */
  constructor(packed: PackedAccounts, read: (line: Line) => readonly [key: string, account: Account]) {
    this.#read = read;
    this.#packed = packed;
    const accounts = new Map<string, Account>();
    for (let at = 0; at < packed.length;) at = this.#take(packed, at, accounts);
    this.#accounts = accounts;
  }

  get(key: string): Account | undefined {
    return this.#accounts.get(key);
  }

  /**
   * Knows these accounts, and no others, once it has read them: at once if they are few, thousands in slices. Of several
   * calls the last one counts.
   */
  async use(packed: PackedAccounts): Promise<void> {
    if (packed === this.#packed) return;
    this.#packed = packed;
    const accounts = new Map<string, Account>();
    const slice = new Slice();
    for (let [at, read] = [0, 1]; at < packed.length; read++) {
      at = this.#take(packed, at, accounts);
      if (read % perLook === 0 && slice.shouldYield()) await slice.yieldNow();
      if (this.#packed !== packed) return;
    }
    this.#accounts = accounts;
  }

  /** Reads the account that begins there. @returns where the next one does */
  #take(packed: PackedAccounts, at: number, accounts: Map<string, Account>): number {
    const end = packed.indexOf('\n', at);
    accounts.set(...this.#read(JSON.parse(packed.slice(at, end)) as Line));
    return end + 1;
  }
}
