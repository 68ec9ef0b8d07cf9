/** The classes of requests and responses of HTTP/2, derived from those of HTTP/1.1. */
import { IncomingMessage, ServerResponse } from 'node:http';
import { streamRequestClass, type StreamRequestClass } from './stream-request.ts';
import { streamResponseClass, type StreamResponseClass } from './stream-response.ts';

export interface StreamClasses {
  readonly request: StreamRequestClass;
  readonly response: StreamResponseClass;
}

/** Derives the classes; without an argument from those of Node. */
export function streamClassesOf(
  incoming: typeof IncomingMessage = IncomingMessage,
  outgoing: typeof ServerResponse = ServerResponse,
): StreamClasses {
  return { request: streamRequestClass(incoming), response: streamResponseClass(outgoing) };
}
