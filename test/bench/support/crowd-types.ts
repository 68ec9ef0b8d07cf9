/** Messages between the bench and a crowd of watching clients. */
import type { Target } from './http-connection.ts';

/** Over HTTP/2 the watches of a client share a connection; over HTTP/1.1 each has its own. */
export type CrowdProtocol = 'HTTP/2' | 'HTTP/1.1';

export interface CrowdOrder {
  readonly target: Target;
  readonly protocol: CrowdProtocol;
  readonly clients: number;
  /** Of each client: what it watches, from which version on. */
  readonly watches: readonly { readonly path: string; readonly version: string }[];
}

export interface CrowdState {
  /** Watches that are answered and go on. */
  readonly open: number;
  /** Events of all watches, without bookmarks. */
  readonly events: number;
  /** Watches whose version was too old: an informer would list. */
  readonly expired: number;
  /** Connections and watches that were refused. */
  readonly refused: number;
}

export type CrowdAnswer =
  | { readonly kind: 'gathered' }
  | { readonly kind: 'state'; readonly state: CrowdState }
  | { readonly kind: 'error'; readonly message: string };
