/** Bytes that are copied only once, into the outgoing chunk. A Buffer is a Piece. */
export interface Piece {
  readonly length: number;
  /** Copies everything to `target` at `at`, which has room for it. */
  copy(target: Buffer, at: number): void;
}
