/**
 * Counts the chunks of a body. Each chunk, even of one byte, costs some microseconds and an object: a body of 3 MB in
 * chunks of one byte takes hundreds of megabytes and holds the thread for seconds.
 */

/** Chunks that may have any size: a client may flush what it has. */
const freeChunks = 500;
/** Least average size beyond that. */
const leastBytes = 64;

export class ChunkCount {
  /** Of all chunks together. */
  bytes = 0;
  private chunks = 0;

  take(bytes: number): void {
    this.bytes += bytes;
    this.chunks += 1;
  }

  /** True for a body in more chunks than its size explains. */
  get areTooSmall(): boolean {
    return this.chunks > freeChunks && this.bytes < this.chunks * leastBytes;
  }
}
