/** The CRC-32 of text that was checked in parts (RFC 1952, section 8): without reading the text again. */

/** The polynomial, its bits in the order in which CRC-32 has them: the highest power is the lowest bit. */
const polynomial = 0xedb88320;
const one = 0x80000000;
const ofOneByte = 0x00800000;

/** @param length bytes of the second part */
export function crc32Joined(first: number, second: number, length: number): number {
  return (product(shiftOf(length), first) ^ second) >>> 0;
}

/** What as many bytes behind a part multiply its remainder by. */
function shiftOf(length: number): number {
  let shift = one;
  let power = ofOneByte;
  for (let left = length; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) shift = product(power, shift);
    power = product(power, power);
  }
  return shift;
}

/** Modulo the polynomial. */
function product(a: number, b: number): number {
  let sum = 0;
  let times = b;
  for (let bit = one; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) sum ^= times;
    times = (times & 1) === 1 ? (times >>> 1) ^ polynomial : times >>> 1;
  }
  return sum >>> 0;
}
