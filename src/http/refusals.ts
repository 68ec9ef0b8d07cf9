/**
 * Responds with a Status to requests that Node rejects before they reach the handler.
 *
 *   malformed HTTP                400, 413 for chunk extensions
 *   headers too large, too many   431
 *   request timeout               408
 *   unknown expectation           417
 *   no Host, or several           400
 *   unknown transfer coding       400
 *   CONNECT                       405
 *
 * The connection is closed after the response, as the start of the next request is unknown. One of HTTP/2 goes on: Node
 * ends it itself where frames are malformed, and resets a stream whose headers are.
 */
import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { constants, type ServerHttp2Stream } from 'node:http2';
import type { Duplex } from 'node:stream';
import { codeOf, messageOf } from '../base/errors.ts';
import { FewATurn } from '../base/few-a-turn.ts';
import { quoted } from '../base/short-text.ts';
import { badRequest, methodNotSupported, StatusError } from '../meta/status.ts';
import { noCache, typeIsFinal } from './respond.ts';
import { bodyLasts } from './streamed-body.ts';
import { stopReading } from './stop-reading.ts';
import { closeAfterLinger } from './unread-body.ts';

/** Connections that are closed after the response to a rejected request. */
const closing = new WeakSet<Duplex>();

export interface RefusalParts {
  /** The response in progress on a connection. */
  answering(socket: Duplex): ServerResponse | undefined;
  /** Acts once all responses of a connection are sent. */
  whenIdle(socket: Duplex, act: () => void): void;
}

/** Installs the listeners for requests that Node rejects, and for connections that are overdue. */
export function answerRefusals(server: Server, responses: RefusalParts): void {
  const refused = new WeakSet<Duplex>();
  /** Pieces that came behind a malformed request which waits for earlier responses. */
  const waiting = new WeakMap<Duplex, number>();
  const refuse = (socket: Duplex, error: StatusError): void => {
    refused.add(socket);
    closeAfterLinger(socket);
    socket.end(rawAnswer(error));
  };
  const reject = (error: Error, socket: Duplex): void => {
    // The parser reports an error for all data after the first error.
    if (refused.has(socket)) {
      if (waiting.has(socket) && isTooMuch(waiting, socket)) socket.destroy();
      return;
    }
    // Its answer is on the way: of a head with an unknown transfer coding the parser reports an error after it has delivered it.
    if (closing.has(socket)) return;
    const res = responses.answering(socket);
    if (mayAnswer(socket, res)) refuse(socket, parserError(error));
    else if (socket.writable && res?.req.complete === true) refuseBehind(socket, parserError(error));
    else socket.destroy();
  };
  // What came before it is answered first, as in the reference: a write would be done without an answer. The connection is read
  // meanwhile, so that the end of the client is seen.
  const refuseBehind = (socket: Duplex, error: StatusError): void => {
    refused.add(socket);
    waiting.set(socket, 0);
    responses.whenIdle(socket, () => {
      waiting.delete(socket);
      refuse(socket, error);
    });
  };
  const later = unlessServed(responses);
  server.on('clientError', (error: Error, socket: Duplex) => {
    if (codeOf(error) !== 'ERR_HTTP_REQUEST_TIMEOUT') reject(error, socket);
    else if (!isBodyAwaited(responses.answering(socket))) later(socket, () => reject(error, socket));
  });
  // Idle ones, which Node would close itself.
  server.on('timeout', (socket: Duplex) => {
    later(socket, () => socket.destroy());
  });
  server.on('checkExpectation', refuseExpectation);
  server.on('connect', (req: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => undefined);
    // Nothing may stand in the middle of an earlier answer.
    if (responses.answering(req.socket)) socket.destroy();
    else refuse(socket, methodNotSupported());
  });
}

/**
 * Ends connections that are overdue, a few in a turn of the event loop: thousands that began together are overdue together.
 * One of which another request has arrived meanwhile goes on.
 */
function unlessServed(responses: RefusalParts): (socket: Duplex, end: () => void) => void {
  const ends = new FewATurn();
  return (socket, end) => {
    const res = responses.answering(socket);
    ends.add(() => {
      if (responses.answering(socket) === res) end();
    });
  };
}

/** Pieces behind a malformed request, each of up to 64 KiB: a client that goes on sending ends the connection. */
const mostPieces = 16;

function isTooMuch(pieces: WeakMap<Duplex, number>, socket: Duplex): boolean {
  const count = (pieces.get(socket) ?? 0) + 1;
  pieces.set(socket, count);
  return count > mostPieces;
}

/** A body that lasts has no deadline. */
function isBodyAwaited(res: ServerResponse | undefined): boolean {
  return res !== undefined && bodyLasts(res.req);
}

/** Whether the request expects something that no server of this kind does (RFC 9110, section 10.1.1). */
export function isExpectationKnown({ headers }: IncomingMessage): boolean {
  return headers.expect === undefined || headers.expect.toLowerCase() === '100-continue';
}

/**
 * Whether the client waits with its body for `100 Continue`. One of HTTP/1.0 does not know that answer, and would take it for the last
 * (RFC 9110, section 10.1.1).
 */
export function expectsContinue({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.expect?.toLowerCase() === '100-continue' && httpVersion !== '1.0';
}

/** Rejects a request with an expectation that is not known. */
export function refuseExpectation(req: IncomingMessage, res: ServerResponse): void {
  const expectation = `the expectation ${quoted(req.headers.expect)} is not known`;
  refuseRequest(res, new StatusError(417, 'BadRequest', expectation));
}

/** Rejects CONNECT, which this server does not serve, as a request of HTTP/2. */
export function refuseConnect(res: ServerResponse): void {
  refuseRequest(res, methodNotSupported());
}

/**
 * Whether the head is one that HTTP/1.1 allows, in what Node does not look at: exactly one Host (RFC 9112, section 3.2), and no transfer
 * coding but chunked, as in the reference (section 6.1): what is decoded no further would be taken for the body, here or behind a proxy.
 */
export function isProper(req: IncomingMessage): boolean {
  return problemOfHead(req) === undefined;
}

/** Rejects a request whose head is not proper. */
export function refuseImproper({ req, res }: { req: IncomingMessage; res: ServerResponse }): void {
  refuseRequest(res, badRequest(`the request has ${problemOfHead(req) ?? 'no proper head'}`));
}

function problemOfHead(req: IncomingMessage): string | undefined {
  const { host, 'transfer-encoding': coding } = req.headers;
  if (coding !== undefined && coding.trim().toLowerCase() !== 'chunked')
    return `a body of transfer coding ${quoted(coding)}; only chunked is known`;
  if (host === undefined) return req.httpVersion === '1.0' ? undefined : 'no Host header';
  return hostsOf(req) === 1 ? undefined : 'more than one Host header';
}

/** Node keeps only the first in `headers`. */
function hostsOf({ rawHeaders }: IncomingMessage): number {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts;
}

/**
 * An error belongs to the request that is being read: one that is answered already, or is complete and was followed by
 * something else, must not get another answer.
 */
function mayAnswer(socket: Duplex, res: ServerResponse | undefined): boolean {
  if (!socket.writable) return false;
  return res === undefined || (!res.headersSent && !res.req.complete);
}

function parserError(error: Error): StatusError {
  switch (codeOf(error)) {
    case 'HPE_HEADER_OVERFLOW':
      return largeHead('the headers of the request are too large or too many');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new StatusError(413, 'RequestEntityTooLarge', 'the chunk extensions of the body are too large');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new StatusError(408, 'Timeout', 'the request did not arrive in time');
    default:
      return badRequest(`the request is not HTTP: ${messageOf(error)}`);
  }
}

function largeHead(problem: string): StatusError {
  return new StatusError(431, 'RequestEntityTooLarge', problem);
}

/**
 * Answers a stream whose head is beyond the limits, without a request: it costs little more than to reset the stream. The
 * rest of its body is not read.
 */
export function refuseLargeHead(stream: ServerHttp2Stream, problem: string): void {
  if (stream.destroyed || stream.closed) return;
  const { code, status } = largeHead(problem);
  const body = `${JSON.stringify(status)}\n`;
  stream.respond({
    ':status': code,
    'cache-control': noCache,
    [typeIsFinal[0].toLowerCase()]: typeIsFinal[1],
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  });
  stream.end(body);
  stream.close(constants.NGHTTP2_NO_ERROR);
}

function rawAnswer({ code, status }: StatusError): string {
  const body = `${JSON.stringify(status)}\n`;
  const head = [`HTTP/1.1 ${String(code)} ${STATUS_CODES[code] ?? ''}`, `Cache-Control: ${noCache}`];
  head.push(
    typeIsFinal.join(': '),
    'Content-Type: application/json',
    `Content-Length: ${String(Buffer.byteLength(body))}`,
  );
  return `${head.join('\r\n')}\r\nConnection: close\r\n\r\n${body}`;
}

/** Stops reading: a client may have sent thousands of such requests, all of which Node would deliver. */
function refuseRequest(res: ServerResponse, { code, status }: StatusError): void {
  const { socket } = res.req;
  const isStream = res.req.httpVersionMajor === 2;
  if (!isStream) {
    if (closing.has(socket)) return;
    closing.add(socket);
    stopReading(socket);
  }
  const body = `${JSON.stringify(status)}\n`;
  res.writeHead(code, {
    'Cache-Control': noCache,
    [typeIsFinal[0]]: typeIsFinal[1],
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    ...(!isStream && { Connection: 'close' }),
  });
  res.end(body);
}
