/** Reading request bodies: counted while reading, so that nobody fills memory; a deadline for slow senders. */
import type { IncomingMessage } from 'node:http';
import { quoted } from '../base/short-text.ts';
import { maxBodyBytes, smallBodyBytes } from '../codec/limits.ts';
import { badRequest, requestEntityTooLarge, StatusError } from '../meta/status.ts';
import type { BodyShare } from './body-share.ts';
import type { RequestContext } from './context.ts';

export interface BodyLimits {
  readonly maxBytes: number;
  /** Bodies up to this size take nothing from the budget for bytes in work. */
  readonly smallBytes: number;
  /** Time in which the whole body must have arrived. */
  readonly timeoutMs: number;
}

export const defaultBodyLimits: BodyLimits = {
  maxBytes: maxBodyBytes,
  smallBytes: smallBodyBytes,
  timeoutMs: 30_000,
};

/**
 * Reads the whole body.
 * @throws StatusError 415 when it is compressed, 413 as soon as the limit is passed, 408 when it takes too long, 429 when it does so while others wait, 400 when it breaks off
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
  const body = await new BodyReader(context, limits).whole;
  context.audit?.noteSent(body);
  return body;
}

/** Nothing is unpacked here: a few bytes could become more than memory holds. @throws StatusError 415 */
function assertPlain({ headers }: IncomingMessage): void {
  const encoding = headers['content-encoding'];
  if (encoding === undefined || encoding.trim().toLowerCase() === 'identity') return;
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (!hasBody) return;
  const problem = `the body comes with Content-Encoding ${quoted(encoding)}; send it without (identity)`;
  throw new StatusError(415, 'UnsupportedMediaType', problem);
}

/** Listens as long as the request lives; what comes after the end is no news. (Taking listeners off cost as much as putting them on.) */
class BodyReader {
  readonly whole: Promise<Buffer>;
  private readonly req: IncomingMessage;
  private readonly share: BodyShare | undefined;
  private readonly maxBytes: number;
  private readonly timer: NodeJS.Timeout;
  private readonly resolve: (body: Buffer) => void;
  private readonly reject: (error: StatusError) => void;
  private readonly chunks: Buffer[] = [];
  private size = 0;
  private isOver = false;

  constructor({ req, bodyShare }: RequestContext, { maxBytes, timeoutMs }: BodyLimits) {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    this.whole = promise;
    this.resolve = resolve;
    this.reject = reject;
    this.req = req;
    this.share = bodyShare;
    bodyShare?.begin((error) => {
      this.fail(error);
    });
    this.maxBytes = maxBytes;
    this.timer = setTimeout(() => {
      this.fail(new StatusError(408, 'Timeout', 'the body of the request did not arrive in time'));
    }, timeoutMs);
    const onBroken = (): void => {
      // Comes behind every end, too; an error takes 20 µs to make.
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
    // What comes after a fault is dropped, so that the client gets to read the answer.
    if (this.isOver) return;
    this.size += chunk.length;
    this.share?.take(chunk.length);
    this.chunks.push(chunk);
    if (this.size > this.maxBytes) this.fail(requestEntityTooLarge(this.maxBytes));
  }

  private end(): void {
    if (this.isOver) return;
    this.finish();
    const [first, second] = this.chunks;
    this.resolve(first !== undefined && second === undefined ? first : Buffer.concat(this.chunks));
  }

  private fail(error: StatusError): void {
    if (this.isOver) return;
    this.finish();
    this.chunks.length = 0;
    this.req.resume();
    this.reject(error);
  }

  private finish(): void {
    this.isOver = true;
    this.share?.end();
    clearTimeout(this.timer);
  }
}
