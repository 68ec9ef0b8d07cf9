/** Heads of data items: major types, additional information, tags (RFC 8949, section 3). */
export const major = {
  unsigned: 0,
  negative: 1,
  bytes: 2,
  text: 3,
  list: 4,
  map: 5,
  tag: 6,
  simple: 7,
} as const;

/** Additional information of simple values and floats. */
export const simple = { false: 20, true: 21, null: 22, half: 25, single: 26, double: 27 } as const;

/** Additional information of an item without a length; as a simple value, the end of one. */
export const indefinite = 31;

export const tags = {
  time: 0,
  epochTime: 1,
  unsignedBignum: 2,
  negativeBignum: 3,
  toBase64Url: 21,
  toBase64: 22,
  toBase16: 23,
} as const;

/** The tag 55799, which says that CBOR follows (section 3.4.6). Every object of an answer begins with it. */
export const selfDescribed = Buffer.from([0xd9, 0xd9, 0xf7]);
