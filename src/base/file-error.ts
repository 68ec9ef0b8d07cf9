/** What is wrong with a file that a flag names: all of it, each with its line. */
export class FileError extends Error {
  readonly errors: readonly string[];

  /** @param errors each as `line N: what is wrong`; none may tell a secret */
  constructor(errors: readonly string[]) {
    super(errors.join('; '));
    this.name = 'FileError';
    this.errors = errors;
  }
}
