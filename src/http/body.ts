/** Reads request bodies with a size limit and a deadline for slow senders. */
import type { IncomingMessage } from 'node:http';
import { steadyOf, type Clock, type Timer } from '../base/clock.ts';
import { ChunkCount } from '../base/chunk-count.ts';
import { quoted } from '../base/short-text.ts';
import { maxBodyBytes, smallBodyBytes } from '../codec/limits.ts';
import { badRequest, requestEntityTooLarge, StatusError } from '../meta/status.ts';
import type { BodyShare } from './body-share.ts';
import type { RequestContext } from './request-context.ts';
import { dropRest, hasBody } from './unread-body.ts';

export interface BodyLimits {
  readonly maxBytes: number;
  /** Bodies up to this size are not counted in the body budget. */
  readonly smallBytes: number;
  /** Deadline of the complete body. */
  readonly timeoutMs: number;
}

export const defaultBodyLimits: BodyLimits = {
  maxBytes: maxBodyBytes,
  smallBytes: smallBodyBytes,
  timeoutMs: 30_000,
};

/** What the parser of YAML reads in some milliseconds; other bodies of 64 KiB take as long. */
const servedYamlBytes = smallBodyBytes / 4;

/** The limits of a body that only the serving thread can decode, and that needs to be no larger. */
export function servedLimits(context: RequestContext, limits: BodyLimits): BodyLimits {
  const isYaml = /yaml/i.test(context.header('content-type'));
  return { ...limits, maxBytes: Math.min(limits.maxBytes, isYaml ? servedYamlBytes : smallBodyBytes) };
}

/**
 * Reads the whole body, and waits for a turn to work on it.
 * @throws StatusError 415 if it is compressed, 413 as soon as it exceeds the limit, 408 if it takes too long, 429 if
 * it is slow while other requests wait, 400 if it ends early or comes in chunks of a few bytes
 */
export async function readBody(
  context: RequestContext,
  limits: BodyLimits = defaultBodyLimits,
): Promise<Buffer> {
  const { req, res } = context;
  assertPlain(req);
  const length = Number(req.headers['content-length'] ?? 0);
  if (length > limits.maxBytes) throw requestEntityTooLarge(limits.maxBytes);
  if (context.expectsContinue) {
    context.expectsContinue = false;
    res.writeContinue();
  }
  const pieces = await piecesOf(context, limits);
  await context.phase.turns.begin(context.user.name);
  // To join 3 MB takes milliseconds, and hundreds of bodies may end at once.
  const [first, second] = pieces;
  const body = first !== undefined && second === undefined ? first : Buffer.concat(pieces);
  context.audit?.noteSent(body);
  return body;
}

async function piecesOf(context: RequestContext, limits: BodyLimits): Promise<readonly Buffer[]> {
  context.isReadingBody = true;
  try {
    return await new BodyReader(context, limits).pieces;
  } finally {
    context.isReadingBody = false;
  }
}

/**
 * Compressed bodies are rejected: a few bytes could expand beyond the memory limit.
 * @throws StatusError 415
 */
function assertPlain(req: IncomingMessage): void {
  const encoding = req.headers['content-encoding'];
  if (encoding === undefined || encoding.trim().toLowerCase() === 'identity') return;
  if (!hasBody(req)) return;
  const problem = `the body comes with Content-Encoding ${quoted(encoding)}; send it without (identity)`;
  throw new StatusError(415, 'UnsupportedMediaType', problem);
}

/**
 * Keeps its listeners until the request ends; events after the end are ignored. (Removing listeners costs as much as
 * adding them.)
 */
class BodyReader {
  readonly pieces: Promise<readonly Buffer[]>;
  private readonly context: RequestContext;
  private readonly req: IncomingMessage;
  private readonly share: BodyShare | undefined;
  private readonly maxBytes: number;
  private readonly clock: Clock;
  private readonly timer: Timer;
  private readonly resolve: (pieces: readonly Buffer[]) => void;
  private readonly reject: (error: StatusError) => void;
  private readonly chunks: Buffer[] = [];
  private readonly progress = new ChunkCount();
  private isOver = false;

  constructor(context: RequestContext, { maxBytes, timeoutMs }: BodyLimits) {
    const { req, bodyShare, phase } = context;
    const { promise, resolve, reject } = Promise.withResolvers<readonly Buffer[]>();
    this.pieces = promise;
    this.resolve = resolve;
    this.reject = reject;
    this.context = context;
    this.req = req;
    this.share = bodyShare;
    bodyShare?.begin((error) => {
      this.fail(error);
    });
    this.maxBytes = maxBytes;
    this.clock = steadyOf(phase.clock);
    this.timer = this.clock.setTimeout(() => {
      this.fail(new StatusError(408, 'Timeout', 'the body of the request did not arrive in time'));
    }, timeoutMs);
    const onBroken = (): void => {
      // Also emitted after every end; creating an error takes 20 µs.
      if (!this.isOver) this.fail(badRequest('the body of the request ended early'));
    };
    req.on('data', (chunk: Buffer) => {
      this.take(chunk);
    });
    req.on('end', () => {
      this.end();
    });
    req.on('close', onBroken);
    req.on('error', onBroken);
  }

  private take(chunk: Buffer): void {
    // What comes after an error is dropped, so that the client gets to read the answer.
    if (this.isOver) return;
    this.progress.take(chunk.length);
    this.share?.take(chunk.length);
    this.chunks.push(chunk);
    if (this.progress.bytes > this.maxBytes) this.failTooLarge();
    else if (this.progress.areTooSmall)
      this.fail(badRequest('the request body comes in chunks of a few bytes'));
  }

  private end(): void {
    if (this.isOver) return;
    this.finish();
    this.resolve(this.chunks);
  }

  private failTooLarge(): void {
    if (this.progress.bytes > maxBodyBytes) this.context.closeBehindBody();
    this.fail(requestEntityTooLarge(this.maxBytes));
  }

  private fail(error: StatusError): void {
    if (this.isOver) return;
    this.finish();
    this.chunks.length = 0;
    // Tiny chunks cost as much after the error.
    dropRest(this.req, this.progress.areTooSmall ? this.progress : undefined);
    this.reject(error);
  }

  private finish(): void {
    this.isOver = true;
    this.share?.end();
    this.clock.clear(this.timer);
  }
}
