/** The error of every decoder here: the bytes are not what they claim to be. The message is fit for a client. */
export class DecodeError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'DecodeError';
  }
}
