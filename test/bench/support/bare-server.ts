/**
 * The least that Express over HTTPS can do: returns ready bytes from memory, and writes one ready buffer to every
 * open response. The measure beside the service's reads and watches. What is sent to `/store` becomes a transaction of
 * etcd, whatever it says: the least that a service which writes can do. To `/store-text` happens the same, but the body is
 * parsed, what is stored is printed from an object, and a watch tells of everything that is stored, as every replica has to: the
 * least that this API can do in this language. Below `/fresh` the ready bytes wait for a probe of
 * etcd's quorum, shared as the service shares them: the least that fresh reads can do.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

import express, { type NextFunction, type Request, type Response } from 'express';

import { SharedCall } from '../../../src/base/shared-call.ts';
import { stamp } from './load-types.ts';
import { newTarget, openRawTransactions, type RawTarget, type RawTransactions } from './raw-transactions.ts';

export type BareCommand =
  | { readonly kind: 'listen'; readonly ca: string; readonly cert: string; readonly key: string }
  /** From now on `path` answers with the bytes of `file`. */
  | { readonly kind: 'serve'; readonly path: string; readonly file: string }
  /** Writes the bytes of `file`, with a new time of sending, `count` times to every open response. */
  | { readonly kind: 'burst'; readonly file: string; readonly count: number }
  /** From now on what is asked for below `/fresh` waits for a probe. */
  | { readonly kind: 'probe'; readonly endpoints: readonly string[] }
  /** From now on what is sent to `/store` and `/store-text` stores the bytes of `file`, and is answered with them. */
  | {
      readonly kind: 'store';
      readonly endpoints: readonly string[];
      readonly file: string;
      readonly updates: boolean;
    };

export interface BareAnswer {
  readonly port: number;
}

const bodies = new Map<string, Buffer>();
const open = new Set<Response>();
let port = 0;

/** What `/store` does. */
interface RawStore {
  readonly raw: RawTransactions;
  readonly value: Buffer;
  /** What the value says. */
  readonly object: Stored;
  readonly updates: boolean;
  /** Connections send one request at a time, so that each has a key of its own to update. */
  readonly targets: WeakMap<object, RawTarget>;
}

interface Stored {
  readonly metadata: object;
}

let rawStore: RawStore | undefined;

async function storeRaw(request: Request, response: Response): Promise<void> {
  request.resume();
  await once(request, 'end');
  await store(request, response, { value: theStore().value, folder: '/bare' });
}

async function storeText(request: Request, response: Response): Promise<void> {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  await once(request, 'end');
  const { metadata } = JSON.parse(Buffer.concat(parts).toString()) as Stored;
  const { object } = theStore();
  const next = { ...object, metadata: { ...object.metadata, ...metadata } };
  await store(request, response, { value: Buffer.from(JSON.stringify(next)), folder: followed });
}

function theStore(): RawStore {
  if (!rawStore) throw new Error('nothing was said about what is stored');
  return rawStore;
}

/** Below `folder`, so that only those hear of it who ought to. */
async function store(
  request: Request,
  response: Response,
  what: { value: Buffer; folder: string },
): Promise<void> {
  const { raw, updates, targets } = theStore();
  const known = updates ? targets.get(request.socket) : undefined;
  const target = known ?? newTarget(what.folder);
  targets.set(request.socket, target);
  await raw.update(target, what.value);
  response.statusCode = updates ? 200 : 201;
  response.setHeader('content-type', 'application/json');
  response.end(what.value);
}

/** A watch tells of what is stored here. */
const followed = '/bare-text';

async function openRawStore(command: Extract<BareCommand, { kind: 'store' }>): Promise<void> {
  const { endpoints, file, updates } = command;
  rawStore?.raw.close();
  const raw = openRawTransactions('own', endpoints);
  const value = readFileSync(file);
  const object = JSON.parse(value.toString()) as Stored;
  await raw.follow(followed);
  rawStore = { raw, value, object, updates, targets: new WeakMap() };
}

let probes: SharedCall<unknown> | undefined;

function openProbes({ endpoints }: Extract<BareCommand, { kind: 'probe' }>): void {
  const raw = openRawTransactions('own', endpoints);
  probes = new SharedCall(() => raw.probe());
}

async function afterProbe(_request: Request, _response: Response, next: NextFunction): Promise<void> {
  await probes?.join();
  next();
}

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
  app.use('/store', storeRaw);
  app.use('/store-text', storeText);
  const serve = (request: Request, response: Response): void => {
    const body = bodies.get(request.url);
    response.statusCode = body === undefined ? 404 : 200;
    response.setHeader('content-type', 'application/json');
    response.end(body);
  };
  // Express takes the prefix away.
  app.use('/fresh', afterProbe, serve);
  app.use(serve);
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
  else if (command.kind === 'store') await openRawStore(command);
  else if (command.kind === 'probe') openProbes(command);
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
