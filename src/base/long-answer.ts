/** A response that exceeds its limit. */
const mebibyte = 1024 * 1024;

export class LongAnswerError extends Error {
  /** @param longest bytes */
  constructor(longest: number) {
    super(`the response is longer than ${sizeText(longest)}`);
    this.name = 'LongAnswerError';
  }
}

function sizeText(bytes: number): string {
  return bytes >= mebibyte
    ? `${String(Math.floor(bytes / mebibyte))} MiB`
    : `${String(Math.floor(bytes / 1024))} KiB`;
}
