/** A response that exceeds its limit. */
const mebibyte = 1024 * 1024;

export class LongAnswerError extends Error {
  /** @param longest bytes, unless it has too many members */
  constructor(longest: number, problem = `the response is longer than ${sizeText(longest)}`) {
    super(problem);
    this.name = 'LongAnswerError';
  }
}

function sizeText(bytes: number): string {
  return bytes >= mebibyte
    ? `${String(Math.floor(bytes / mebibyte))} MiB`
    : `${String(Math.floor(bytes / 1024))} KiB`;
}
