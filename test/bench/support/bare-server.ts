/**
 * The least that Express over HTTPS can do: returns ready bytes from memory, and writes one ready buffer to every
 * open response. The measure beside the service's reads and watches.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

import express, { type Response } from 'express';

import { stamp } from './load-types.ts';

export type BareCommand =
  | { readonly kind: 'listen'; readonly ca: string; readonly cert: string; readonly key: string }
  /** From now on `path` answers with the bytes of `file`. */
  | { readonly kind: 'serve'; readonly path: string; readonly file: string }
  /** Writes the bytes of `file`, with a new time of sending, `count` times to every open response. */
  | { readonly kind: 'burst'; readonly file: string; readonly count: number };

export interface BareAnswer {
  readonly port: number;
}

const bodies = new Map<string, Buffer>();
const open = new Set<Response>();
let port = 0;

function listen(ca: string, cert: string, key: string): Promise<void> {
  const app = express();
  app.disable('x-powered-by');
  app.get('/watch', (request, response) => {
    response.setHeader('content-type', 'application/json');
    response.flushHeaders();
    const seconds = Number(request.query['timeoutSeconds'] ?? 0);
    if (seconds > 0) {
      setTimeout(() => response.end(), seconds * 1000);
      return;
    }
    open.add(response);
    response.on('close', () => open.delete(response));
  });
  app.use((request, response) => {
    const body = bodies.get(request.url);
    response.statusCode = body === undefined ? 404 : 200;
    response.setHeader('content-type', 'application/json');
    response.end(body);
  });
  const server = createServer({ ca, cert, key, requestCert: true, rejectUnauthorized: false }, app);
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      ({ port } = server.address() as AddressInfo);
      resolve();
    });
  });
}

async function burst(file: string, count: number): Promise<void> {
  const [before = '', after = ''] = readFileSync(file, 'utf8').split('##');
  for (let round = 0; round < count; round += 1) {
    const buffer = Buffer.from(before + stamp() + after);
    for (const response of open) response.write(buffer);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function perform(command: BareCommand): Promise<void> {
  if (command.kind === 'listen') await listen(command.ca, command.cert, command.key);
  else if (command.kind === 'serve') bodies.set(command.path, readFileSync(command.file));
  else await burst(command.file, command.count);
}

process.on('message', (command: BareCommand) => {
  perform(command).then(
    () => process.send?.({ port } satisfies BareAnswer),
    (error: unknown) => {
      throw error;
    },
  );
});
process.on('disconnect', () => process.exit());
