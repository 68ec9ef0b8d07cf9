/** Free TCP ports on loopback. */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

const lowest = 20_000;
const highest = 32_000;
/** Test files that run side by side choose from ports of their own: what one was given may not be taken yet. */
const shares = 8;
const share = Number(process.env['JEST_WORKER_ID'] ?? 0) % shares;
const given = new Set<number>();

/**
 * A port of 127.0.0.1 that nobody listens on and that this process has not been given before.
 * Taken below the range from which systems choose ports for outgoing connections, so that it stays free while a
 * stopped server is about to come back on it.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const port = lowest + share + shares * randomInt((highest - lowest) / shares);
    if (!given.has(port) && (await canListen(port))) {
      given.add(port);
      return port;
    }
  }
  throw new Error(`no free port between ${String(lowest)} and ${String(highest)}`);
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => {
      resolve(false);
    });
    server.listen(port, '127.0.0.1', () => {
      server.close(() => {
        resolve(true);
      });
    });
  });
}
