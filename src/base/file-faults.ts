/** What is wrong with a file that a flag names: all of it, each with its line. */
export class FileFaults extends Error {
  readonly faults: readonly string[];

  /** @param faults each as `line N: what is wrong`; none may tell a secret */
  constructor(faults: readonly string[]) {
    super(faults.join('; '));
    this.name = 'FileFaults';
    this.faults = faults;
  }
}
