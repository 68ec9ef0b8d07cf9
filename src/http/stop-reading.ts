/**
 * Ends what Node delivers of a connection. Node parses everything that it has already read, up to some hundred kilobytes,
 * even if the connection is paused or destroyed meanwhile: thousands of requests, or chunks of a body, each of which
 * costs some microseconds of the serving thread.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** Node's parser of a connection, as far as it is used here; Node's types do not have it. */
interface Parser {
  /** Called for each request head. */
  onIncoming: (req: IncomingMessage & { upgrade?: boolean }) => number;
  /** Receives the chunks of a body. */
  incoming: IncomingMessage | null;
}

/** Means to llhttp that HTTP ends here: it skips the rest of its input. */
const skipRest = 2;

/** From now on no request is delivered; the body that is being read is. The caller closes the connection. */
export function serveNoMore(socket: Duplex): void {
  const { parser } = socket as { readonly parser?: Parser | null };
  if (parser) parser.onIncoming = skipHead;
}

function skipHead(req: IncomingMessage & { upgrade?: boolean }): number {
  // Node would hand the connection over to another protocol, although a response has it.
  req.upgrade = false;
  return skipRest;
}

/** From now on no request, no change of protocol and no chunk of a body is delivered. The caller closes the connection. */
export function stopReading(socket: Duplex): void {
  socket.pause();
  const { parser } = socket as { readonly parser?: Parser | null };
  if (!parser) return;
  parser.onIncoming = skipHead;
  // Its reading would resume the connection.
  if (parser.incoming) parser.incoming._read = () => undefined;
  parser.incoming = null;
  makeNoMorePieces(socket, parser);
}

/**
 * Without a function for the pieces of a body, Node makes none of what it has read: an object with memory of its own for each
 * chunk, up to ten thousand of a connection, and collections of garbage of tens of milliseconds. The function comes back before
 * the parser is another connection's.
 */
function makeNoMorePieces(socket: Duplex, parser: Parser): void {
  const functions = parser as unknown as Record<string, { readonly name?: string } | null | undefined>;
  const key = Object.keys(functions).find((each) => functions[each]?.name === 'parserOnBody');
  if (key === undefined) return;
  const own = functions[key];
  functions[key] = undefined;
  socket.prependOnceListener('close', () => {
    functions[key] = own;
  });
}
