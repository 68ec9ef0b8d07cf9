/** Floats of 16 bits (IEEE 754 binary16; RFC 8949, appendix D). */

/** The value of its bits. */
export function readHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** Its bits; undefined if 16 of them cannot hold the value exactly. */
export function halfBits(value: number): number | undefined {
  const sign = value < 0 ? 0x8000 : 0;
  const size = Math.abs(value);
  const exponent = Math.max(Math.floor(Math.log2(size)), -14);
  if (exponent > 15) return undefined;
  const fraction = Math.floor((size / 2 ** exponent) * 1024);
  const bits = fraction < 1024 ? sign | fraction : sign | ((exponent + 15) << 10) | (fraction & 0x3ff);
  return readHalf(bits) === value ? bits : undefined;
}
