/** Messages between the bench and its load generators. */
import type { Target } from './http-connection.ts';
import type { RunReport } from './run.ts';

/** Requests one after the other on each connection, for some seconds or until `total` are done. */
export interface RequestLoad {
  readonly kind: 'requests';
  readonly target: Target;
  readonly connections: number;
  readonly seconds: number;
  readonly total?: number;
  /**
   * Over so many seconds the connections begin, one after the other, so that they do not come in bursts ever after. What
   * is sent meanwhile does not count; what is sent in the `seconds` that follow does, whenever it is answered.
   */
  readonly spreadSeconds?: number;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  /** Of the body; JSON when absent. */
  readonly contentType?: string;
  /** Media type of the answer; JSON when absent. */
  readonly accept?: string;
  /** Taken in turn by each connection. */
  readonly paths: readonly string[];
  /** The body, with `@@` where a new name goes, `^^` where that of the path, `%%` where a slot, `##` where the time of sending. */
  readonly body?: string;
  /** A body that is sent as it is, in base64; instead of `body`. */
  readonly bytes?: string;
  /** What new names begin with. */
  readonly namePrefix?: string;
  readonly expect: number;
}

/** Watches that count what they are told until each has seen `events`. */
export interface WatchLoad {
  readonly kind: 'watch';
  readonly target: Target;
  readonly watchers: number;
  readonly path: string;
  readonly events: number;
}

export type Load = RequestLoad | WatchLoad;

export type LoadAnswer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'report'; readonly report: RunReport }
  | { readonly kind: 'error'; readonly message: string };

/** Objects are shared out to this many slots in turn: a selector of one picks 1 %. */
export const slots = 100;

/** Precedes the time of sending inside bodies, so that a watch can tell how old an event is. */
export const sentMark = '"sent":"';

/** Now, in milliseconds, on the clock that the processes of one machine share. */
export function sharedNow(): number {
  return performance.timeOrigin + performance.now();
}

/** `sharedNow()` in a form of constant length. */
export function stamp(): string {
  return sharedNow().toFixed(3);
}
