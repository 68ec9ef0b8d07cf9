/** Whether a connection is authenticated; kept as long as the connection. */

export interface ConnectionState {
  /** The last credentials sent over it were valid. */
  isAuthenticated: boolean;
  /** Called at the first successful authentication. */
  readonly onAuthenticated: (() => void)[];
}

const connectionStates = new WeakMap<object, ConnectionState>();

/** The standing of a connection, by its socket. */
export function connectionStateOf(socket: object): ConnectionState {
  let connectionState = connectionStates.get(socket);
  if (connectionState === undefined)
    connectionStates.set(socket, (connectionState = { isAuthenticated: false, onAuthenticated: [] }));
  return connectionState;
}

/** Marks the connection as authenticated. */
export function markAuthenticated(connectionState: ConnectionState): void {
  connectionState.isAuthenticated = true;
  for (const call of connectionState.onAuthenticated.splice(0)) call();
}
