/**
 * Goes on with a connection whose request asked for another protocol and is served without (RFC 9110, section 7.8). Node's
 * parser stops behind such a request all the same, and drops what came with it in the same read: requests of a client that
 * does not wait, which would get no answer.
 */
import type { Duplex } from 'node:stream';

/** Bytes that were parsed, of those given. */
type Parsed = number | Error;

/** Node's parser of a connection, as far as it is used here; Node's types do not have it. */
interface Parser {
  readonly constructor: { readonly kOnExecute?: number };
  /** Replaced once nothing more is read (`stop-reading.ts`). */
  readonly onIncoming: unknown;
  readonly incoming: { readonly upgrade?: boolean } | null;
  /** Parses bytes as if they had been read. */
  execute(bytes: Buffer): Parsed;
  /** A copy of what was read. */
  getCurrentBuffer(): Buffer;
  /** Functions that it calls, by number. */
  [callback: number]: unknown;
}

/** By socket: a parser serves one connection after the other. */
const following = new WeakSet<Duplex>();

/** From now on all that is read of the connection is parsed. Call it before the request is served. */
export function parseBehind(socket: Duplex): void {
  const { parser } = socket as { readonly parser?: Parser | null };
  const at = parser?.constructor.kOnExecute;
  if (!parser || at === undefined || following.has(socket)) return;
  following.add(socket);
  const { onIncoming } = parser;
  const onExecute = parser[at] as (parsed: Parsed) => void;
  const isCutShort = (parsed: Parsed, bytes: Buffer): parsed is number =>
    typeof parsed === 'number' && parsed > 0 && parsed < bytes.length && !socket.destroyed;
  const isHttp = (): boolean => parser.onIncoming === onIncoming && parser.incoming?.upgrade !== true;
  parser[at] = (parsed: Parsed): void => {
    let [bytes, last] = [parser.getCurrentBuffer(), parsed];
    while (isCutShort(last, bytes) && isHttp()) {
      bytes = bytes.subarray(last);
      last = parser.execute(bytes);
    }
    onExecute(last);
  };
}
