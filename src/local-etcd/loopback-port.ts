/** Ports of 127.0.0.1. */
import { createServer } from 'node:net';

/** A port that is currently free; another process may take it before it is used. */
export function freePort(): Promise<number> {
  return listenOnce(0);
}

/** Whether nobody listens on a port now. */
export function isFree(port: number): Promise<boolean> {
  return listenOnce(port).then(
    () => true,
    () => false,
  );
}

/** Listens on a port for a moment, and resolves with it. @param port 0: any */
function listenOnce(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
    });
  });
}
