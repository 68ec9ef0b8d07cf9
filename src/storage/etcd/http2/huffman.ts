/** Huffman decoding of HTTP/2 headers (RFC 7541, section 5.2 and appendix B). */
import { PeerError } from './peer-error.ts';

/**
 * Octets by the length of their code, shortest first. The code is canonical: codes of one length are consecutive in
 * this order, and the next length continues after the last one. 256 is EOS, which is never sent.
 */
const octetsByLength: Readonly<Record<number, readonly number[]>> = {
  5: [48, 49, 50, 97, 99, 101, 105, 111, 115, 116],
  6: [
    32, 37, 45, 46, 47, 51, 52, 53, 54, 55, 56, 57, 61, 65, 95, 98, 100, 102, 103, 104, 108, 109, 110, 112,
    114, 117,
  ],
  7: [
    58, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 89, 106, 107,
    113, 118, 119, 120, 121, 122,
  ],
  8: [38, 42, 44, 59, 88, 90],
  10: [33, 34, 40, 41, 63],
  11: [39, 43, 124],
  12: [35, 62],
  13: [0, 36, 64, 91, 93, 126],
  14: [94, 125],
  15: [60, 96, 123],
  19: [92, 195, 208],
  20: [128, 130, 131, 162, 184, 194, 224, 226],
  21: [153, 161, 167, 172, 176, 177, 179, 209, 216, 217, 227, 229, 230],
  22: [
    129, 132, 133, 134, 136, 146, 154, 156, 160, 163, 164, 169, 170, 173, 178, 181, 185, 186, 187, 189, 190,
    196, 198, 228, 232, 233,
  ],
  23: [
    1, 135, 137, 138, 139, 140, 141, 143, 147, 149, 150, 151, 152, 155, 157, 158, 165, 166, 168, 174, 175,
    180, 182, 183, 188, 191, 197, 231, 239,
  ],
  24: [9, 142, 144, 145, 148, 159, 171, 206, 215, 225, 236, 237],
  25: [199, 207, 234, 235],
  26: [192, 193, 200, 201, 202, 205, 210, 213, 218, 219, 238, 240, 242, 243, 255],
  27: [203, 204, 211, 212, 214, 221, 222, 223, 241, 244, 245, 246, 247, 248, 250, 251, 252, 253, 254],
  28: [
    2, 3, 4, 5, 6, 7, 8, 11, 12, 14, 15, 16, 17, 18, 19, 20, 21, 23, 24, 25, 26, 27, 28, 29, 30, 31, 127, 220,
    249,
  ],
  30: [10, 13, 22, 256],
};

const endOfText = 256;
/** Length of the longest code in bits. */
const longest = 30;

/** Codes of one length: the first code, and the octets from it on. */
interface Level {
  readonly first: number;
  readonly octets: readonly number[];
}

const levels: ReadonlyMap<number, Level> = levelsOf(octetsByLength);

function levelsOf(table: typeof octetsByLength): Map<number, Level> {
  const found = new Map<number, Level>();
  let code = 0;
  for (let length = 1; length <= longest; length += 1) {
    code *= 2;
    const octets = table[length];
    if (octets === undefined) continue;
    found.set(length, { first: code, octets });
    code += octets.length;
  }
  return found;
}

/**
 * The text, one octet per character (latin1). Decodes bit by bit, as headers are few and cached (header-reader.ts).
 * @throws Error if the bytes are malformed
 */
export function decodeHuffman(bytes: Buffer): string {
  const octets: number[] = [];
  let code = 0;
  let length = 0;
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit -= 1) {
      code = code * 2 + ((byte >> bit) & 1);
      length += 1;
      const octet = octetOf(code, length);
      if (octet === undefined) continue;
      octets.push(octet);
      code = 0;
      length = 0;
    }
  }
  // The last byte is padded with the first bits of EOS: fewer than eight ones.
  if (length > 7 || code !== 2 ** length - 1)
    throw new PeerError('compression', 'a header text has a wrong end');
  return Buffer.from(octets).toString('latin1');
}

function octetOf(code: number, length: number): number | undefined {
  if (length > longest) throw new PeerError('compression', 'a header text has an unknown code');
  const level = levels.get(length);
  const octet = level?.octets[code - level.first];
  if (octet === endOfText) throw new PeerError('compression', 'a header text has an end within');
  return octet;
}
