/** Header values as their senders meant them: Node gives each byte as a character, and clients write UTF-8. */

/** Bytes that are no UTF-8: whoever guessed would take one name for another. */
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
