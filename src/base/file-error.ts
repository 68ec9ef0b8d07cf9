/** Errors of a file of a flag, with their lines. */

/** As many are shown; a wrong file may have one in each of a million lines. */
const shownErrors = 20;

/** The errors on one line: the first of them, and how many there are besides. */
export function listErrors(errors: readonly string[]): string {
  const shown = errors.slice(0, shownErrors);
  const more = errors.length - shown.length;
  return [...shown, ...(more > 0 ? [`and ${String(more)} more`] : [])].join('; ');
}

export class FileError extends Error {
  readonly errors: readonly string[];

  /** @param errors each as `line N: problem`, without secrets */
  constructor(errors: readonly string[]) {
    super(listErrors(errors));
    this.name = 'FileError';
    this.errors = errors;
  }
}
