/** What is made of documents of other servers, as it leaves the thread. */
export interface Encoded<T> {
  readonly json: T;
  readonly protobuf: T;
}

/** Small buffers share the memory of others, which a transfer would take away. */
export function ownMemory(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : Uint8Array.from(bytes);
}
