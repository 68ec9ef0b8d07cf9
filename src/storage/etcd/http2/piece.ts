/** Bytes that are written where they leave, so that large ones are copied but once. A Buffer is one. */
export interface Piece {
  readonly length: number;
  /** Writes all of it into `target` from `at` on; there is room. */
  copy(target: Buffer, at: number): void;
}
