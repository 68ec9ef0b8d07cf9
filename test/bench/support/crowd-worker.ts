/** Many clients with watches, in a process of their own: each goes on from the last version that it has seen when its connection breaks. */
import { connect as connectSession, type ClientHttp2Session } from 'node:http2';
import { request as requestOnce, Agent } from 'node:https';

import type { CrowdAnswer, CrowdOrder, CrowdState } from './crowd-types.ts';

/** Clients wait so long before they connect again, and up to as long again: as those of the field do at first. */
const backOffMs = 800;
/** So many handshakes at once while a crowd gathers. */
const handshakes = 50;

let [open, events, expired, refused] = [0, 0, 0, 0];
let isClosing = false;

/** What a watch counts, whatever carries it. */
class Watch {
  #isOpen = false;
  #rest = '';
  version: string;
  readonly path: string;

  constructor({ path, version }: { path: string; version: string }) {
    this.path = path;
    this.version = version;
  }

  get target(): string {
    return `${this.path}?watch=true&allowWatchBookmarks=true&resourceVersion=${this.version}`;
  }

  onHead(status: number): void {
    if (status !== 200) {
      refused += 1;
      return;
    }
    this.#isOpen = true;
    open += 1;
  }

  onData(chunk: string): void {
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#onEvent(line);
  }

  onEnd(): void {
    if (this.#isOpen) open -= 1;
    this.#isOpen = false;
    this.#rest = '';
  }

  #onEvent(line: string): void {
    if (line.startsWith('{"type":"ERROR"')) {
      expired += 1;
      return;
    }
    const version = /"resourceVersion":"(\d+)"/.exec(line)?.[1];
    if (version !== undefined) this.version = version;
    if (!line.startsWith('{"type":"BOOKMARK"')) events += 1;
  }
}

type Client = readonly Watch[];

/** Connects over HTTP/2, opens the watches and begins again when the connection breaks. Resolves when it is connected at first. */
function follow(client: Client, order: CrowdOrder): Promise<void> {
  const connected = Promise.withResolvers<undefined>();
  const begin = (): void => {
    const { ca, cert, key, port } = order.target;
    const session = connectSession(`https://127.0.0.1:${port}`, { ca, cert, key });
    let isUp = false;
    session.on('error', () => undefined);
    session.once('connect', () => {
      isUp = true;
      connected.resolve(undefined);
      for (const watch of client) openStream(session, watch);
    });
    session.once('close', () => {
      if (isClosing) return;
      if (!isUp) refused += 1;
      setTimeout(begin, backOffMs * (1 + Math.random()));
    });
  };
  begin();
  return connected.promise;
}

/** A watch that ends alone begins again at once. */
function openStream(session: ClientHttp2Session, watch: Watch): void {
  const stream = session.request({ ':path': watch.target });
  stream.setEncoding('utf8');
  stream.on('response', (headers) => watch.onHead(Number(headers[':status'])));
  stream.on('data', (chunk: string) => watch.onData(chunk));
  stream.on('error', () => undefined);
  stream.once('close', () => {
    watch.onEnd();
    if (!isClosing && !session.closed && !session.destroyed) openStream(session, watch);
  });
}

const agent = new Agent({ keepAlive: false });

/** A watch over a connection of its own. Resolves when it is answered at first. */
function followAlone(watch: Watch, order: CrowdOrder): Promise<void> {
  const { ca, cert, key, port } = order.target;
  const answered = Promise.withResolvers<undefined>();
  const path = watch.target;
  const request = requestOnce({ host: '127.0.0.1', port, path, ca, cert, key, agent }, (response) => {
    watch.onHead(response.statusCode ?? 0);
    answered.resolve(undefined);
    response.setEncoding('utf8').on('data', (chunk: string) => watch.onData(chunk));
    response.on('error', () => undefined).once('close', () => watch.onEnd());
  });
  request.on('error', (error) => answered.reject(error)).end();
  return answered.promise;
}

/** Gathers the crowd, some at a time. */
async function gather(order: CrowdOrder): Promise<void> {
  const clients = Array.from({ length: order.clients }, () => order.watches.map((watch) => new Watch(watch)));
  const left = clients.values();
  const next = async (): Promise<void> => {
    for (const client of left)
      if (order.protocol === 'HTTP/2') await follow(client, order);
      else for (const watch of client) await followAlone(watch, order);
  };
  await Promise.all(Array.from({ length: handshakes }, next));
}

function state(): CrowdState {
  return { open, events, expired, refused };
}

function answer(message: CrowdAnswer): void {
  process.send?.(message);
}

process.on('message', (message: CrowdOrder | 'state') => {
  if (message === 'state') {
    answer({ kind: 'state', state: state() });
    return;
  }
  gather(message).then(
    () => answer({ kind: 'gathered' }),
    (error: unknown) => answer({ kind: 'error', message: String(error) }),
  );
});
process.on('disconnect', () => {
  isClosing = true;
  process.exit();
});
