/** Walking over JSON text as bytes. */
export const quote = 0x22;
const backslash = 0x5c;

/** The offset of the quote that closes the string whose opening quote is at `open`; beyond the end when none does. */
export function stringEnd(bytes: Buffer, open: number): number {
  let i = open + 1;
  while (i < bytes.length && bytes[i] !== quote) i += bytes[i] === backslash ? 2 : 1;
  return i;
}
