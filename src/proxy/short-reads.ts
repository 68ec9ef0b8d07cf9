/**
 * Reads of a plain connection, as short as those of TLS, whose records have 16 KiB at most: Node reads 64 KiB, and parses
 * all of it at once, which takes 20 ms where it is chunks of one byte.
 */
import type { OnReadOpts, Socket } from 'node:net';

const readBytes = 16 * 1024;

/** Node reads and calls back in one step, except on Windows, where each connection needs a buffer that is its own. */
const shared = process.platform === 'win32' ? undefined : Buffer.allocUnsafeSlow(readBytes);

/** For the option `onread` of a connection; it emits `data` as any other. */
export function shortReads(): OnReadOpts {
  return {
    buffer: shared ?? Buffer.allocUnsafeSlow(readBytes),
    callback(this: Socket, length: number, buffer: Uint8Array): boolean {
      return this.push(Buffer.copyBytesFrom(buffer, 0, length));
    },
  };
}
