/** Walking over JSON text as bytes. */
export const quote = 0x22;
const backslash = 0x5c;

/** The offset of the quote that closes the string whose opening quote is at `open`; beyond the end when none does. */
export function stringEnd(bytes: Buffer, open: number): number {
  for (let i = open + 1; ;) {
    const near = Math.min(bytes.length, i + nearby);
    while (i < near && bytes[i] !== quote) i += bytes[i] === backslash ? 2 : 1;
    if (i < near || i >= bytes.length) return i;
    const next = bytes.indexOf(quote, i);
    if (next < 0) return bytes.length;
    if (!isEscaped(bytes, i, next)) return next;
    i = next + 1;
  }
}

/** Bytes that are looked at one by one before the next quote is searched for, which is faster in long strings only. */
const nearby = 64;

/** Whether an odd number of backslashes stands before a quote; `from` is behind whole characters. */
function isEscaped(bytes: Buffer, from: number, at: number): boolean {
  let first = at;
  while (first > from && bytes[first - 1] === backslash) first -= 1;
  return (at - first) % 2 === 1;
}
