/** The TLS socket that a server of Node makes of an accepted connection. Node gives it only after the handshake. */
import { TLSSocket } from 'node:tls';

/** Calls `make`; gives the TLS socket that it makes over another socket, or undefined. */
export function tlsSocketOf(make: () => void): TLSSocket | undefined {
  const node = TLSSocket.prototype as unknown as { _wrapHandle?: (...values: unknown[]) => unknown };
  const usual = node._wrapHandle;
  let made: TLSSocket | undefined;
  const note = (socket: TLSSocket): void => {
    made = socket;
  };
  if (usual)
    node._wrapHandle = function wrapHandle(this: TLSSocket, ...values: unknown[]): unknown {
      note(this);
      return Reflect.apply(usual, this, values);
    };
  try {
    make();
  } finally {
    if (usual) node._wrapHandle = usual;
  }
  return made;
}
