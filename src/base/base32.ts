const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';

/** Base32 in lower case, without padding (RFC 4648, section 6). */
export function base32(bytes: Uint8Array): string {
  let text = '';
  let [held, bits] = [0, 0];
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xfff;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += alphabet[(held >> (bits - 5)) & 31] ?? '';
  }
  return bits === 0 ? text : text + (alphabet[(held << (5 - bits)) & 31] ?? '');
}
