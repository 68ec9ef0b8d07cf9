/** Values in the distinguished encoding of ASN.1 (DER, X.690), as certificates have them: writing, and reading of what may be hostile. */

export interface DerNode {
  readonly tag: number;
  readonly content: Buffer;
}

const longForm = 0x80;
const maxLengthBytes = 3;

export const derTag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** The tag of a member that its position in a CHOICE or SEQUENCE names. */
export function contextTag(number: number, { isConstructed }: { readonly isConstructed: boolean }): number {
  return 0x80 | (isConstructed ? 0x20 : 0) | number;
}

/** One value. */
export function derValue(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.of(tag), lengthOf(content.length), content]);
}

/** @param text such as `2.5.29.15` */
export function derObjectIdentifier(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  return derValue(derTag.objectIdentifier, Buffer.from([first * 40 + second, ...rest.flatMap(inSevenBits)]));
}

/** The values of a constructed one; undefined when lengths do not fit. */
export function derNodes(bytes: Buffer): DerNode[] | undefined {
  const found: DerNode[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = lengthAt(bytes, at + 1);
    if (!length || length.end + length.value > bytes.length) return undefined;
    found.push({ tag: bytes[at] ?? 0, content: bytes.subarray(length.end, length.end + length.value) });
    at = length.end + length.value;
  }
  return found;
}

function lengthOf(length: number): Buffer {
  if (length < longForm) return Buffer.of(length);
  const digits = bytesOf(length, 0x100);
  return Buffer.of(longForm | digits.length, ...digits);
}

/** All but the last have the high bit. */
function inSevenBits(number: number): number[] {
  const digits = bytesOf(number, 0x80);
  return digits.map((digit, at) => (at < digits.length - 1 ? digit | 0x80 : digit));
}

function bytesOf(number: number, base: number): number[] {
  const rest = Math.floor(number / base);
  return rest === 0 ? [number % base] : [...bytesOf(rest, base), number % base];
}

function lengthAt(bytes: Buffer, at: number): { readonly value: number; readonly end: number } | undefined {
  const first = bytes[at];
  if (first === undefined) return undefined;
  if (first < longForm) return { value: first, end: at + 1 };
  const size = first - longForm;
  if (size === 0 || size > maxLengthBytes || at + 1 + size > bytes.length) return undefined;
  return { value: bytes.readUIntBE(at + 1, size), end: at + 1 + size };
}
