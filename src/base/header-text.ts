/** Decodes header values as UTF-8: Node returns each byte as a character. */

/** Invalid UTF-8, which must not be guessed in names. */
export class HeaderTextError extends Error {
  constructor() {
    super('the value of a header is no UTF-8');
    this.name = 'HeaderTextError';
  }
}

const ascii = /^[\t\x20-\x7e]*$/;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @throws HeaderTextError */
export function headerText(value: string): string {
  if (ascii.test(value)) return value;
  try {
    return decoder.decode(Buffer.from(value, 'latin1'));
  } catch {
    throw new HeaderTextError();
  }
}
