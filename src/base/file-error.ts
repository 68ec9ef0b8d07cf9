/** Errors of a file of a flag, with their lines. */
import { shortText } from './short-text.ts';

/** As many are shown; a wrong file may have one in each of a million lines. */
const shownErrors = 20;

/** The errors on one line: the first of them, in short, as a name may have megabytes, and how many there are besides. */
export function listErrors(errors: readonly string[]): string {
  const shown = errors.slice(0, shownErrors).map((error) => shortText(error));
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
