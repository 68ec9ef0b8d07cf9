/**
 * The error in a patch. `malformed`: it is no patch of its kind (400); `unprocessable`: it cannot be applied to
 * this object, or a test failed (422); `tooLarge`: it goes beyond a limit (413).
 */
export type PatchErrorKind = 'malformed' | 'unprocessable' | 'tooLarge';

export class PatchError extends Error {
  readonly kind: PatchErrorKind;

  constructor(kind: PatchErrorKind, message: string) {
    super(message);
    this.name = 'PatchError';
    this.kind = kind;
  }
}
