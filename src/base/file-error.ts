/** All errors of a file of a flag, with their lines. */
export class FileError extends Error {
  readonly errors: readonly string[];

  /** @param errors each as `line N: problem`, without secrets */
  constructor(errors: readonly string[]) {
    super(errors.join('; '));
    this.name = 'FileError';
    this.errors = errors;
  }
}
