/** Bodies that are passed on while they arrive: they may take longer than bodies that are read. */
import type { IncomingMessage } from 'node:http';

/** Stored on the request: a WeakMap in the old generation would keep requests alive. */
const lasting = Symbol('lasting');

interface LastingRequest extends IncomingMessage {
  [lasting]?: true;
}

/** From now on no deadline of the server ends the body. */
export function letBodyLast(req: IncomingMessage): void {
  (req as LastingRequest)[lasting] = true;
}

export function bodyLasts(req: IncomingMessage): boolean {
  return (req as LastingRequest)[lasting] === true;
}
