/** Whether a connection is authenticated; kept as long as the connection. */

export interface Standing {
  /** The last credentials sent over it were valid. */
  isKnown: boolean;
  /** Called at the first successful authentication. */
  onKnown: (() => void) | undefined;
}

const standings = new WeakMap<object, Standing>();

/** The standing of a connection, by its socket. */
export function standingOf(socket: object): Standing {
  let standing = standings.get(socket);
  if (standing === undefined) standings.set(socket, (standing = { isKnown: false, onKnown: undefined }));
  return standing;
}

/** Marks the connection as authenticated. */
export function noteKnown(standing: Standing): void {
  standing.isKnown = true;
  standing.onKnown?.();
  standing.onKnown = undefined;
}
