/** What a client of an API server needs of the wire: JSON responses and the lines of watches, however it connects. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Arrivals } from '../base/arrivals.ts';
import { isObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { ChunkCount } from '../base/chunk-count.ts';
import { SharedSlice } from '../base/cooperate.ts';
import { isSmall } from '../base/is-small.ts';
import { jsonInSteps } from '../codec/json-in-steps.ts';
import { wholeBody } from '../base/http-response.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { LongAnswerError } from '../base/long-answer.ts';
import { shortText } from '../base/short-text.ts';
import { DecodeError } from '../codec/decode-error.ts';
import { decodeJson } from '../codec/decode-json.ts';
import { parseInSlices } from '../codec/sliced-json.ts';
import { detailsOf } from '../meta/status-details.ts';
import { StatusError } from '../meta/status.ts';
import { AnswerQueue } from './answer-queue.ts';

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with query. */
  readonly path: string;
  readonly body?: JsonValue;
  /** The body as JSON text, in place of `body`. */
  readonly text?: string;
  readonly contentType?: string;
  readonly accept?: string;
}

export interface ApiTransport {
  /**
   * Sends a request and returns the JSON response. Redirects are failures, as credentials must not be forwarded.
   * @param longest maximum bytes of this response, if lower than the general limit
   * @throws StatusError for status codes that are not 200 to 206, LongAnswerError
   */
  json(request: ApiRequest, signal: AbortSignal, longest?: number): Promise<JsonObject>;
  /**
   * The lines of a watch, each a JSON object.
   * @throws StatusError for status codes that are not 200 to 206
   */
  lines(request: ApiRequest, signal: AbortSignal): AsyncGenerator<JsonObject>;
}

/** The body of a request; undefined if it has none. */
export function bodyText({ body, text }: ApiRequest): MaybePromise<string | undefined> {
  if (text !== undefined || body === undefined) return text;
  return isSmall(body, mostAtOnce) ? JSON.stringify(body) : textInTurn(body);
}

/** Members of a body that is written at once, in about half a millisecond. */
const mostAtOnce = 2_000;

/** A review may hold hundreds of objects, or one of megabytes; all such bodies share the time of a turn. */
async function textInTurn(body: JsonValue): Promise<string> {
  let text = '';
  for (const piece of jsonInSteps(body)) {
    text += piece;
    if (writing.shouldYield()) await writing.yieldNow();
  }
  return text;
}

const writing = new SharedSlice();

/** Headers of a request by its body and the media types that are accepted. */
export function contentHeaders(request: ApiRequest, body: string | undefined): Record<string, string> {
  return {
    accept: request.accept ?? 'application/json',
    ...(body !== undefined && {
      'content-type': request.contentType ?? 'application/json',
      'content-length': String(Buffer.byteLength(body)),
    }),
  };
}

/** Longer responses are parsed in turn and in pieces, as many may end in one turn of the event loop. */
const shortAnswer = 16 * 1024;
const parsing = new SharedSlice();
const longAnswers = new AnswerQueue();
/** Of shorter ones, as many, the work that follows takes as long: a patch is applied, an object checked. */
const shortAnswers = new Arrivals();

function breathe(): MaybePromise<void> {
  return parsing.shouldYield() ? parsing.yieldNow() : undefined;
}

/** How a response is read. */
export interface ResponseReading {
  /** Numbers keep all digits; the response is UTF-8. */
  readonly isExact?: boolean;
  /** Levels of nesting; what nests deeper is no JSON object. */
  readonly maxDepth?: number;
  /** Members of a response, which take the time to parse it: about what is between its commas. */
  readonly mostMembers?: number;
  /** A text that must not come back; '' or absent for none. */
  readonly secret?: string;
  /** The server, whose responses take turns with those of others. */
  readonly from?: string;
}

/**
 * The JSON object of a response; an empty one if it is none.
 * @param longest bytes
 * @throws StatusError for status codes that are not 200 to 206, LongAnswerError
 */
export async function jsonOf(
  response: IncomingMessage,
  longest: number,
  reading: ResponseReading = {},
): Promise<JsonObject> {
  const bytes = await wholeBody(response, longest, longAnswers);
  const code = response.statusCode ?? 500;
  if (bytes.length <= shortAnswer) {
    await shortAnswers.begin(reading.from ?? '');
    return await read(code, bytes, reading);
  }
  return await longAnswers.inTurn(bytes.length, async () => {
    await parsing.yieldNow();
    return await read(code, bytes, reading);
  });
}

async function read(
  code: number,
  received: Buffer,
  { isExact = false, secret = '', maxDepth = Infinity, mostMembers = Infinity }: ResponseReading,
): Promise<JsonObject> {
  const bytes = without(received, secret);
  assertFewMembers(bytes, mostMembers);
  const value = await objectOf(bytes, { isExact, maxDepth });
  if (isSuccess(code)) return value ?? {};
  throw asStatusError(code, value, bytes.toString('utf8', 0, 1_000));
}

/** As client-go has it; HTTP/1.1 knows codes of any three digits. */
function isSuccess(code: number): boolean {
  return code >= 200 && code <= 206;
}

/** undefined for what is no JSON object. */
async function objectOf(
  bytes: Buffer,
  { isExact, maxDepth }: { readonly isExact: boolean; readonly maxDepth: number },
): Promise<JsonObject | undefined> {
  if (isExact && !isUtf8(bytes)) return undefined;
  try {
    const value = await parseInSlices(bytes, { breathe, maxDepth, ...(isExact && { parse: exactly }) });
    return isObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof DecodeError) return undefined;
    throw error;
  }
}

function exactly(text: string): JsonValue {
  return decodeJson(Buffer.from(text)).value;
}

/** @throws LongAnswerError */
function assertFewMembers(bytes: Buffer, most: number): void {
  if (bytes.length <= most) return;
  let count = 0;
  for (let at = bytes.indexOf(comma); at >= 0; at = bytes.indexOf(comma, at + 1))
    if ((count += 1) > most)
      throw new LongAnswerError(bytes.length, `the response has more than ${String(most)} members`);
}

const comma = 0x2c;

/** A server that is asked may repeat what it was sent, and its words go to clients and to the log. */
function without(bytes: Buffer, secret: string): Buffer {
  if (secret === '' || !bytes.includes(secret)) return bytes;
  return Buffer.from(bytes.toString().replaceAll(secret, '[redacted]'));
}

/** Of the body of a failed watch. */
const longestStatus = 1024 * 1024;
const newline = 0x0a;

/**
 * The JSON objects of a response, one a line; other lines are left out.
 * @param longest bytes of a line
 * @throws StatusError for status codes that are not 200 to 206, Error for a longer line and for chunks of a few bytes without end
 */
export async function* linesOf(response: IncomingMessage, longest: number): AsyncGenerator<JsonObject> {
  if (!isSuccess(response.statusCode ?? 500)) {
    await jsonOf(response, longestStatus);
    return;
  }
  const line = new Line(longest);
  for await (const part of response) {
    const chunk = part as Buffer;
    let from = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
      const value = await parsed(line.end(chunk.subarray(from, end)));
      if (value) yield value;
      from = end + 1;
    }
    line.add(chunk.subarray(from));
  }
}

/** A line that arrives in parts, each of which is looked at once. */
class Line {
  readonly #longest: number;
  #parts: Buffer[] = [];
  #progress = new ChunkCount();

  constructor(longest: number) {
    this.#longest = longest;
  }

  add(part: Buffer): void {
    if (part.length === 0) return;
    this.#progress.take(part.length);
    if (this.#progress.bytes > this.#longest)
      throw new Error(`a watch event is longer than ${String(this.#longest)} bytes`);
    if (this.#progress.areTooSmall) throw new Error('a watch event comes in chunks of a few bytes');
    this.#parts.push(part);
  }

  end(part: Buffer): Buffer {
    this.add(part);
    const whole = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#progress = new ChunkCount();
    return whole;
  }
}

/** All watches share the time of a turn. */
async function parsed(bytes: Buffer): Promise<JsonObject | undefined> {
  if (bytes.length === 0) return undefined;
  await breathe();
  return objectOf(bytes, { isExact: false, maxDepth: Infinity });
}

/** Characters of what another server says. */
const longestMessage = 4_000;

/** Converts a Status body or any other failure to a StatusError. */
export function asStatusError(code: number, status: JsonObject | undefined, text: string): StatusError {
  const { reason, message, details } = status ?? {};
  return new StatusError(
    code,
    typeof reason === 'string' ? shortText(reason) : 'Unknown',
    typeof message === 'string' ? shortText(message, longestMessage) : text.slice(0, 200),
    isObject(details) ? { details: detailsOf(details) } : {},
  );
}
