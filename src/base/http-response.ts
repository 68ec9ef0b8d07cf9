/** Reads responses of other servers, any of which may be broken, with limits on bytes and on the number of chunks. */
import type { ClientRequest, IncomingMessage } from 'node:http';
import { ChunkCount } from './chunk-count.ts';
import { codeOf } from './errors.ts';
import { LongAnswerError } from './long-answer.ts';

/** A server sends `100 Continue` once, and perhaps some early hints. */
const maxInformational = 16;

/** Fails the request when informational responses (1xx) do not end. */
export function limitInformational(sent: ClientRequest): void {
  let count = 0;
  sent.on('information', () => {
    count += 1;
    if (count <= maxInformational) return;
    skipRest(sent);
    sent.destroy(new Error('too many informational responses (1xx)'));
  });
}

/** Means to llhttp that HTTP ends here: it skips the rest of its input. */
const skipsRest = 2;

/** Node parses all that it has read, also for a request that is destroyed: 64 KiB of informational responses take milliseconds. */
function skipRest({ socket }: ClientRequest): void {
  const { parser } = socket as { readonly parser?: { onIncoming: () => number } | null };
  if (parser) parser.onIncoming = () => skipsRest;
}

/** Says when long responses are read on. */
export interface ReadingRoom {
  readonly hasRoom: boolean;
  /** Resolves when there may be room. */
  room(): Promise<void>;
}

/** Shorter responses are read in any case. */
const shortBytes = 16 * 1024;

/**
 * Reads the whole body of a response.
 * @param longest bytes
 * @throws LongAnswerError; Error when it comes in chunks of a few bytes, or ends early
 */
export function wholeBody(
  response: IncomingMessage,
  longest: number,
  reading?: ReadingRoom,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const progress = new ChunkCount();
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      reject(error);
      chunks.length = 0;
      response.destroy();
    };
    response.on('data', (chunk: Buffer) => {
      progress.take(chunk.length);
      if (progress.bytes > longest) fail(new LongAnswerError(longest));
      else if (progress.areTooSmall) fail(new Error('the response comes in chunks of a few bytes'));
      else {
        chunks.push(chunk);
        if (reading?.hasRoom === false && progress.bytes > shortBytes) void readLater(response, reading);
      }
    });
    response.on('end', () => {
      resolve(Buffer.concat(chunks));
    });
    response.on('error', (error) => {
      reject(isCut(error) ? new Error('unexpected EOF', { cause: error }) : error);
    });
    response.on('close', () => {
      reject(new Error('the response ends early'));
    });
  });
}

/** Node says `aborted` of a response whose connection ends within it, which reads as if this side had; Go's words are known. */
function isCut(error: Error): boolean {
  return codeOf(error) === 'ECONNRESET' && error.message === 'aborted';
}

async function readLater(response: IncomingMessage, reading: ReadingRoom): Promise<void> {
  response.pause();
  while (!reading.hasRoom) await reading.room();
  response.resume();
}
