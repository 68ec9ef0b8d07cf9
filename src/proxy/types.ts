/** What the reverse proxy is asked for: a client's request, and the backend that serves it. */
import type { Agent, IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../base/clock.ts';
import type { PacedAgent } from '../base/paced-agent.ts';

/** How a backend is recognized and what is shown to it; PEM texts. */
export interface BackendTls {
  /** CA bundle that the backend's certificate is verified by; absent: the roots of Node. */
  readonly ca?: string | readonly string[] | undefined;
  /** Name in the backend's certificate; absent: the host. */
  readonly servername?: string | undefined;
  /** The certificate is not verified: for backends that nobody vouches for. */
  readonly insecureSkipVerify?: boolean;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

export interface Backend {
  readonly scheme: 'http' | 'https';
  /** Name or address to connect to, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  /** Path with query, percent-encoded. */
  readonly path: string;
  readonly tls?: BackendTls;
  /** The header Host; absent: what the client sent. */
  readonly hostHeader?: string;
  /** Headers of the proxy itself, by lower-case name. They replace the client's. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Further headers of the client, by lower-case name, that must not reach the backend. */
  readonly isWithheld?: (name: string) => boolean;
  /**
   * Path (decoded, without query) under which clients see `/` of the backend: Location and the links of HTML pages are
   * rewritten, and headers that loosen the same-origin policy are removed. Absent: responses stay as they are.
   */
  readonly mount?: string;
  /** Limit of an upgraded connection, each way; absent if there is none. */
  readonly bytesPerSecond?: number | undefined;
  /**
   * Connections to use again, of the owner; absent: a connection for each request. A paced one knows certificate, key and CA
   * bundle itself.
   */
  readonly agent?: Agent | PacedAgent;
}

/** The client's side. Nothing of it is read or written before. */
export interface ProxiedRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal;
  /** Headers that every response has, names and values alternating; those of the backend replace them. */
  readonly ownHeaders?: readonly string[];
  /** Called before the body is read. */
  readonly beginBody?: () => void;
  /** Called before the head of a response is written. */
  readonly beginResponse?: () => void;
  /** Takes the connection for another protocol; absent if the client asks for none. */
  readonly takeConnection?:
    ((code: number) => { readonly socket: Duplex; readonly head: Buffer }) | undefined;
}

/** Deadlines in milliseconds. */
export interface ProxyPatience {
  /** Until the backend has accepted the connection, TLS included. */
  readonly connectMs: number;
  /** From the end of the request until the end of the response's head; Infinity for no deadline. */
  readonly headMs: number;
}

/** How long a backend is waited for, and on which clock. */
export interface ProxyWaits {
  readonly clock: Clock;
  readonly patience: ProxyPatience;
}

/** A backend may let clients wait for an event before it responds. */
export const usualPatience: ProxyPatience = { connectMs: 30_000, headMs: 600_000 };

/** The backend could not be reached, or what it sent is no response. */
export class BackendError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BackendError';
  }
}
