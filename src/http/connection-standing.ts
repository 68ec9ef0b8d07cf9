/** Whether a connection has been used by somebody who is known; kept as long as the connection. */

export interface Standing {
  /** The last credentials that came over it were good. */
  isKnown: boolean;
  /** Called when the first good ones come. */
  onKnown: (() => void) | undefined;
}

const standings = new WeakMap<object, Standing>();

/** The standing of a connection, by its socket. */
export function standingOf(socket: object): Standing {
  let standing = standings.get(socket);
  if (standing === undefined) standings.set(socket, (standing = { isKnown: false, onKnown: undefined }));
  return standing;
}

/** Good credentials have come over the connection. */
export function noteKnown(standing: Standing): void {
  standing.isKnown = true;
  standing.onKnown?.();
  standing.onKnown = undefined;
}
