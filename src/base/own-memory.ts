/** Buffers that lie alone in their memory. Node takes short ones out of pools of 8 KiB, and one that is kept keeps all of its pool. */

/** Memory that nothing else lies in, not cleared. */
export function ownMemory(bytes: number): Buffer {
  return Buffer.allocUnsafeSlow(bytes);
}

/** A copy in memory of its own. */
export function ownCopy(value: Buffer): Buffer {
  const bytes = ownMemory(value.length);
  value.copy(bytes);
  return bytes;
}

/** Text as UTF-8 in memory of its own. */
export function ownText(text: string): Buffer {
  const bytes = ownMemory(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}

/** Memory that other threads can have, too, filled with zeros. */
export function sharedMemory(bytes: number): Buffer {
  return Buffer.from(new SharedArrayBuffer(bytes));
}

/** The same bytes in memory of their own: a copy unless they lie alone already. */
export function aloneInMemory(value: Buffer): Buffer {
  return value.buffer.byteLength === value.length ? value : ownCopy(value);
}
