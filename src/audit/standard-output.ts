/** Audit events on standard output, which may be a pipe without a reader, a closed pipe, or a full disk. */
import { write } from 'node:fs';
import { promisify } from 'node:util';
import type { Clock } from '../base/clock.ts';
import { codeOf } from '../base/errors.ts';
import { pause } from '../base/pause.ts';
import { stillWithoutWaiting, withoutWaiting } from '../base/without-waiting.ts';

const slowReaderMs = 50;
const writeSome = promisify(write);
let output: number | undefined;

/** Resolves when all is written. Rejects when it is not taken, or the signal ends while a reader is slow. */
export async function writeToOutput(clock: Clock, bytes: Buffer, signal: AbortSignal): Promise<void> {
  output ??= withoutWaiting(1);
  for (let rest = bytes; rest.length > 0;) {
    const written = await taken(output, rest);
    rest = rest.subarray(written);
    if (written > 0) continue;
    signal.throwIfAborted();
    await pause(clock, slowReaderMs, signal);
  }
}

/** Bytes that the reader took; 0 while it is slow. */
async function taken(fd: number, bytes: Buffer): Promise<number> {
  try {
    return (await writeSome(stillWithoutWaiting(fd), bytes)).bytesWritten;
  } catch (error) {
    if (codeOf(error) === 'EAGAIN') return 0;
    throw error;
  }
}
