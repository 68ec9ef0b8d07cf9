/** What is wrong with a file that an authenticator reads: all of it, each with its line. */
export class FileFaults extends Error {
  readonly faults: readonly string[];

  /** @param faults each as `line N: what is wrong`; none may tell a secret */
  constructor(faults: readonly string[]) {
    super(faults.join('; '));
    this.name = 'FileFaults';
    this.faults = faults;
  }
}
