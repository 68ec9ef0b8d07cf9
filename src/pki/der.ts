/** DER (X.690), as far as certificates have it. */

export const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectId: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Lengths from here on have a byte that says how many bytes they take. */
const longForm = 0x80;

/** Tag of a field with a number of its own: primitive, or around another value. */
export function fieldTag(number: number, form: 'primitive' | 'constructed' = 'primitive'): number {
  return (form === 'constructed' ? 0xa0 : 0x80) | number;
}

/** A value. @param contents its bytes, joined */
export function der(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content.length)]), content]);
}

export function sequence(...members: readonly Uint8Array[]): Buffer {
  return der(tags.sequence, ...members);
}

/** @param id such as `2.5.4.3` */
export function objectId(id: string): Buffer {
  const [first = 0, second = 0, ...rest] = id.split('.').map(Number);
  return der(tags.objectId, Buffer.from([40 * first + second, ...rest.flatMap(inSevenBits)]));
}

/** @param unused bits at the end of the last byte that are none of the value */
export function bitString(bytes: Uint8Array, unused = 0): Buffer {
  return der(tags.bitString, Buffer.from([unused]), bytes);
}

/** To the second, in the form that certificates have until 2049, or in that for all other times (RFC 5280, 4.1.2.5). */
export function time(date: Date): Buffer {
  const digits = date.toISOString().replaceAll(/\.\d+Z|\D/g, '');
  const isShort = date.getUTCFullYear() >= 1950 && date.getUTCFullYear() < 2050;
  const text = `${isShort ? digits.slice(2) : digits}Z`;
  return der(isShort ? tags.utcTime : tags.generalizedTime, Buffer.from(text));
}

export interface DerValue {
  readonly tag: number;
  /** With tag and length. */
  readonly whole: Buffer;
  readonly content: Buffer;
}

/** The values in the content of another one, or in a whole text. @param bytes of a certificate that OpenSSL has read */
export function membersOf(bytes: Buffer): DerValue[] {
  const members: DerValue[] = [];
  for (let at = 0; at < bytes.length;) {
    const first = bytes.readUInt8(at + 1);
    const more = first < longForm ? 0 : first - longForm;
    const start = at + 2 + more;
    const end = start + (more === 0 ? first : bytes.readUIntBE(at + 2, more));
    members.push({
      ...{ tag: bytes.readUInt8(at), whole: bytes.subarray(at, end) },
      content: bytes.subarray(start, end),
    });
    at = end;
  }
  return members;
}

function lengthOf(length: number): number[] {
  if (length < longForm) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest >>>= 8) bytes.unshift(rest & 0xff);
  return [longForm | bytes.length, ...bytes];
}

/** The digits of a number to the base of 128; all but the last have a mark. */
function inSevenBits(number: number): number[] {
  const bytes = [number & 0x7f];
  for (let rest = number >>> 7; rest > 0; rest >>>= 7) bytes.unshift(0x80 | (rest & 0x7f));
  return bytes;
}
