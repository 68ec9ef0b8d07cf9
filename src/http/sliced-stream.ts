/** Streams sliced bodies: encoded at the pace of the client, compressed if accepted and worthwhile. */
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { SharedSlice } from '../base/cooperate.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { RequestContext } from './request-context.ts';
import type { SlicedBody } from './representation/types.ts';
import { writeHead } from './respond.ts';

/** Smaller bodies are not compressed. */
const minGzipBytes = 128 * 1024;
const gzipLevel = 1;

/** Piece size of ready bytes: encrypted in less than 0.1 ms. */
const pieceBytes = 64 * 1024;

/** Longer slices are written in parts: an indented item may have 100 MB, which take 150 ms to encrypt. */
const longSlice = 1024 * 1024;

/**
 * All streaming responses share the time of the thread: a socket may accept megabytes in one turn of the event loop.
 */
const sending = new SharedSlice();

/**
 * Sends a body slice by slice. Other requests are served between slices, and backpressure of the client is respected.
 * Resolves when everything is written or the client has disconnected.
 */
export async function sendSliced(
  context: RequestContext,
  code: number,
  contentType: string,
  made: SlicedBody,
): Promise<void> {
  if (context.isClosed()) return;
  const mayCompress = context.phase.compresses && acceptsGzip(context);
  const body = mayCompress && made.length === undefined ? await measured(made) : made;
  if (context.isClosed()) return;
  if (mayCompress && (body.length ?? Infinity) > minGzipBytes)
    return sendCompressed(context, code, contentType, body);
  // Hundreds of lists may wait for the same state; a short one takes no longer than to wait for a turn.
  if ((body.length ?? Infinity) > pieceBytes && sending.shouldYield()) await sending.yieldNow();
  if (context.isClosed()) return;
  await sendSlices(context, writeHead(context, { code, contentType, length: body.length }), body);
}

/** Like `sendSliced`, after the head is written. */
export async function sendSlices(
  context: RequestContext,
  res: ServerResponse,
  body: SlicedBody,
): Promise<void> {
  let left = body.length ?? Infinity;
  for (const made of body.slices) {
    const slice = made instanceof Promise ? await inTurn(made) : made;
    const released = (): void => body.release?.(slice);
    left -= slice.length;
    noteAnswered(context, slice);
    const last = slice.length > longSlice ? await allButLastPart(context, res, slice) : slice;
    if (context.isClosed()) return;
    if (left <= 0) {
      res.end(last, released);
      return;
    }
    await writePaced(context, res, { slice: last, released });
    if (context.isClosed()) return;
  }
  res.end();
}

/** Writes a slice but for its last part, which it gives. */
async function allButLastPart(context: RequestContext, res: ServerResponse, slice: Buffer): Promise<Buffer> {
  let rest = slice;
  for (; rest.length > longSlice && !context.isClosed(); rest = rest.subarray(longSlice))
    await writePaced(context, res, { slice: rest.subarray(0, longSlice), released: () => undefined });
  return rest;
}

/** Sends what is kept compressed to a client that does not accept gzip, after the head is written. */
export async function sendUnpacked(
  context: RequestContext,
  res: ServerResponse,
  compressed: Buffer,
): Promise<void> {
  await aTurn();
  const unpacked = Readable.from(piecesOf(compressed)).pipe(createGunzip({ chunkSize: pieceBytes }));
  for await (const slice of unpacked as AsyncIterable<Buffer>) {
    // Those of a hundred documents may become ready in one turn.
    await aTurn();
    if (context.isClosed()) return;
    noteAnswered(context, slice);
    await writePaced(context, res, { slice, released: () => undefined });
  }
  res.end();
}

/** Hundreds of lists wait for the same large object: what they do with it is spread over turns. */
async function inTurn(made: Promise<Buffer>): Promise<Buffer> {
  const slice = await made;
  await aTurn();
  return slice;
}

function aTurn(): MaybePromise<void> {
  return sending.shouldYield() ? sending.yieldNow() : undefined;
}

function noteAnswered(context: RequestContext, slice: Buffer): void {
  context.audit?.noteAnswered(slice);
  context.answeredBytes += slice.length;
}

/**
 * Resolves when the connection and the thread have room for the next slice. An empty one only stands for a turn: it is not
 * written, as a stream of HTTP/2 takes an empty write for the end of the body and keeps its callback until then.
 */
async function writePaced(
  context: RequestContext,
  res: ServerResponse,
  { slice, released }: { readonly slice: Buffer; readonly released: () => void },
): Promise<void> {
  if (slice.length === 0) released();
  else if (!writeNow(res, slice, released)) await drained(context, res);
  if (sending.shouldYield()) await sending.yieldNow();
}

/**
 * Writes a slice immediately. By default Node encrypts and sends it at the end of the turn, and that time of a
 * millisecond and more would not be accounted. (Watch frames use the default: all frames of a turn are sent in one
 * TLS record, which halves their cost.) Returns false on backpressure.
 */
function writeNow(res: ServerResponse, slice: Buffer, released: () => void): boolean {
  res.cork();
  const isTaken = res.write(slice, released);
  res.uncork();
  return isTaken;
}

/** Encodes as much of a body as is needed to decide about compression; a smaller body then has a known length. */
async function measured(body: SlicedBody): Promise<SlicedBody> {
  const made: Buffer[] = [];
  let length = 0;
  const rest = body.slices[Symbol.iterator]();
  while (length <= minGzipBytes) {
    // Lists of which each slice takes its time may begin at once.
    await aTurn();
    const next = rest.next();
    if (next.done === true) return { ...body, length, slices: made };
    const slice = next.value instanceof Promise ? await next.value : next.value;
    made.push(slice);
    length += slice.length;
  }
  return { ...body, slices: following(made, rest) };
}

function* following(
  made: readonly Buffer[],
  rest: Iterator<MaybePromise<Buffer>>,
): Iterable<MaybePromise<Buffer>> {
  yield* made;
  for (let next = rest.next(); next.done !== true; next = rest.next()) yield next.value;
}

/** Resolves when the connection accepts more data or is closed. */
export function drained(context: RequestContext, res: ServerResponse): Promise<void> {
  if (context.isClosed() || !res.writableNeedDrain) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      res.off('drain', done).off('close', done);
      resolve();
    };
    res.once('drain', done).once('close', done);
  });
}

async function sendCompressed(
  context: RequestContext,
  code: number,
  contentType: string,
  body: SlicedBody,
): Promise<void> {
  const extra = ['Content-Encoding', 'gzip', 'Vary', 'Accept-Encoding'];
  const res = writeHead(context, { code, contentType, length: undefined, extra });
  try {
    await pipeline(Readable.from(yielding(context, body.slices)), createGzip({ level: gzipLevel }), res);
  } catch (error) {
    if (!context.isClosed()) throw error;
  }
}

async function* yielding(
  context: RequestContext,
  slices: Iterable<MaybePromise<Buffer>>,
): AsyncGenerator<Buffer, void, undefined> {
  await sending.yieldNow();
  for (const made of slices) {
    const slice = made instanceof Promise ? await inTurn(made) : made;
    context.audit?.noteAnswered(slice);
    yield slice;
    await sending.yieldNow();
  }
}

/** Ready bytes as a sliced body. */
export function slicedBytes(bytes: Buffer): SlicedBody {
  return { length: bytes.length, slices: piecesOf(bytes) };
}

function* piecesOf(bytes: Buffer): Iterable<Buffer> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

/** Codings that are looked at: there are a few in use, and a header has room for thousands. */
const mostCodings = 64;

/** Whether the client accepts gzip with a quality above 0, and says so among its first codings. */
export function acceptsGzip(context: Pick<RequestContext, 'header'>): boolean {
  return context
    .header('accept-encoding')
    .split(',', mostCodings)
    .some((coding) => /^\s*gzip\s*(?:;(?!\s*q=0(?:\.0*)?\s*$).*)?$/i.test(coding));
}
