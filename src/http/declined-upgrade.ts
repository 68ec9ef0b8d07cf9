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

/** What is known of a connection. */
interface Behind {
  /** Whether the parser is about to stop behind a request. */
  isDeclined: boolean;
}

/** By socket: a parser serves one connection after the other. */
const followed = new WeakMap<Duplex, Behind>();

/** Parses all that comes behind this request of the connection. Call it before the request is served. */
export function parseBehind(socket: Duplex): void {
  const { parser } = socket as { readonly parser?: Parser | null };
  const at = parser?.constructor.kOnExecute;
  if (!parser || at === undefined) return;
  const known = followed.get(socket);
  if (known) known.isDeclined = true;
  else followed.set(socket, follow(socket, parser, at));
}

function follow(socket: Duplex, parser: Parser, at: number): Behind {
  const behind = { isDeclined: true };
  const { onIncoming } = parser;
  const onExecute = parser[at] as (parsed: Parsed) => void;
  const isHttp = (): boolean =>
    !socket.destroyed && parser.onIncoming === onIncoming && parser.incoming?.upgrade !== true;
  parser[at] = (parsed: Parsed): void => {
    let [bytes, last] = [parser.getCurrentBuffer(), parsed];
    while (typeof last === 'number' && last !== bytes.length && isHttp()) {
      // Behind such a request Node takes an error for another stop, and counts no bytes from then on.
      if (!behind.isDeclined || last <= 0 || last > bytes.length) {
        socket.destroy();
        break;
      }
      behind.isDeclined = false;
      bytes = bytes.subarray(last);
      last = parser.execute(bytes);
    }
    onExecute(last);
  };
  return behind;
}
