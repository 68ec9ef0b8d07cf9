/**
 * Node's HTTP server stops the handle of a connection while a body waits for its reader, and starts it when the socket
 * resumes. The first listener of `data` takes both away from it, for good, also in the middle of such a stop.
 */
import type { Socket } from 'node:net';

interface Handle {
  reading: boolean;
  readStart(): void;
}

/**
 * Starts the handle if it was stopped; call it behind the first listener of `data` of a connection of a server. A socket that
 * is paused still stops by itself, once its own buffer is full.
 */
export function readOn(socket: Socket): void {
  // null once the connection is closed.
  const { _handle: handle } = socket as unknown as { readonly _handle: Handle | null };
  if (!handle || handle.reading) return;
  handle.reading = true;
  handle.readStart();
}
