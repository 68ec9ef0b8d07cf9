/**
 * Lets bytes of connections pass in turns that all share. A socket gives up to 2 MiB in one turn of the event loop, and a peer
 * that reads fast does not hold it back: a hundred connections would have the thread for a quarter of a second.
 */
import { Transform, type TransformCallback } from 'node:stream';
import { SharedSlice } from '../base/cooperate.ts';

const passing = new SharedSlice();
/** About one read of a socket. */
const waitingBytes = 64 * 1024;

export class Passing extends Transform {
  constructor() {
    super({ highWaterMark: waitingBytes });
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (passing.shouldYield())
      void passing.yieldNow().then(() => {
        done(null, chunk);
      });
    else done(null, chunk);
  }
}
