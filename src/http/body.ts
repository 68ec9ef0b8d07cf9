/** Reading request bodies: counted while reading, so that nobody fills memory; a deadline for slow senders. */
import type { IncomingMessage } from 'node:http';
import { maxBodyBytes } from '../codec/limits.ts';
import { badRequest, requestEntityTooLarge, StatusError } from '../meta/status.ts';
import type { RequestContext } from './context.ts';

export interface BodyLimits {
  readonly maxBytes: number;
  /** Time in which the whole body must have arrived. */
  readonly timeoutMs: number;
}

export const defaultBodyLimits: BodyLimits = { maxBytes: maxBodyBytes, timeoutMs: 30_000 };

/**
 * Reads the whole body.
 * @throws StatusError 413 as soon as the limit is passed, 408 when it takes too long, 400 when it breaks off
 */
export async function readBody(
  context: RequestContext,
  limits: BodyLimits = defaultBodyLimits,
): Promise<Buffer> {
  const { req, res } = context;
  if (Number(req.headers['content-length'] ?? 0) > limits.maxBytes)
    throw requestEntityTooLarge(limits.maxBytes);
  if (context.expectsContinue) {
    context.expectsContinue = false;
    res.writeContinue();
  }
  const body = await new BodyReader(req, limits).read();
  context.audit?.noteSent(body);
  return body;
}

class BodyReader {
  private readonly req: IncomingMessage;
  private readonly limits: BodyLimits;
  private readonly chunks: Buffer[] = [];
  private size = 0;

  constructor(req: IncomingMessage, limits: BodyLimits) {
    this.req = req;
    this.limits = limits;
  }

  read(): Promise<Buffer> {
    const { req, limits } = this;
    return new Promise((resolve, reject) => {
      const stop = (error: StatusError): void => {
        clearTimeout(timer);
        req.off('data', onData).off('end', onEnd).off('close', onClose);
        // What still comes is dropped, so that the client gets to read the answer.
        req.resume();
        reject(error);
      };
      const onData = (chunk: Buffer): void => {
        this.size += chunk.length;
        this.chunks.push(chunk);
        if (this.size > limits.maxBytes) stop(requestEntityTooLarge(limits.maxBytes));
      };
      const onEnd = (): void => {
        clearTimeout(timer);
        req.off('close', onClose);
        resolve(this.chunks.length === 1 && this.chunks[0] ? this.chunks[0] : Buffer.concat(this.chunks));
      };
      const onClose = (): void => {
        stop(badRequest('the body of the request ended early'));
      };
      const timer = setTimeout(() => {
        stop(new StatusError(408, 'Timeout', 'the body of the request did not arrive in time'));
      }, limits.timeoutMs);
      req.on('data', onData).once('end', onEnd).once('close', onClose).once('error', onClose);
    });
  }
}
