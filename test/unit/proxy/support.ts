/** A proxy on a port of its own before a backend of the test. */
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import type { Server as NetServer } from 'node:net';
import { systemClock, type Clock } from '../../../src/base/clock.ts';
import { proxyRequest } from '../../../src/proxy/reverse-proxy.ts';
import type { Backend, ProxiedRequest, ProxyPatience, ProxyWaits } from '../../../src/proxy/types.ts';

export interface Talk {
  readonly socket: Socket;
  readonly said: () => string;
  readonly isOver: () => boolean;
}

export class ProxyBench {
  /** Replaces parts of the backend that requests are passed to. */
  backend: Partial<Backend> = {};
  patience: ProxyPatience = { connectMs: 10_000, headMs: 10_000 };
  clock: Clock = systemClock;
  ownHeaders: string[] = [];
  /** Requests that are being passed on. */
  passing = 0;
  /** Errors of the proxy. */
  readonly errors: Error[] = [];
  readonly #servers: NetServer[] = [];
  readonly #sockets = new Set<Socket>();
  #front: Server | undefined = undefined;

  async open(): Promise<void> {
    const front = createServer((req, res) => {
      void this.#pass(req, {
        ...{ req, res, signal: signalOf(res), ownHeaders: this.ownHeaders },
        beginBody: () => undefined,
      });
    });
    front.on('upgrade', (req: IncomingMessage, socket: Socket, head: Buffer) => {
      const gone = new AbortController();
      socket.once('close', () => {
        gone.abort();
      });
      const res = undefined as unknown as ProxiedRequest['res'];
      void this.#pass(req, { req, res, signal: gone.signal, takeConnection: () => ({ socket, head }) });
    });
    this.#front = front;
    await this.#listen(front);
  }

  /** Requests go to this handler from now on. */
  async serve(handler: RequestListener): Promise<Server> {
    const server = createServer(handler);
    await this.to(server);
    return server;
  }

  /** Requests go to what this does with a connection from now on. */
  raw(handler: (socket: Socket) => void): Promise<void> {
    return this.to(createTcpServer(handler));
  }

  async to(server: NetServer, more: Partial<Backend> = {}): Promise<void> {
    await this.#listen(server);
    this.backend = { port: portOf(server), ...more };
  }

  /** Opens a connection to the proxy, sends bytes and gathers what comes back. */
  talk(bytes: string): Talk {
    let said = '';
    let isOver = false;
    const socket = connect(portOf(this.#front));
    this.#sockets.add(socket);
    socket.on('data', (chunk: Buffer) => (said += chunk.toString('latin1')));
    socket.on('error', () => undefined).on('close', () => (isOver = true));
    socket.write(bytes, 'latin1');
    return { socket, said: () => said, isOver: () => isOver };
  }

  get waits(): ProxyWaits {
    return { clock: this.clock, patience: this.patience };
  }

  get port(): number {
    return portOf(this.#front);
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    const closed = this.#servers.map((server) => new Promise((resolve) => server.close(resolve)));
    await Promise.all(closed);
  }

  async #pass(req: IncomingMessage, client: ProxiedRequest): Promise<void> {
    const backend: Backend = {
      ...{ scheme: 'http', host: '127.0.0.1', port: 1, path: req.url ?? '/' },
      ...this.backend,
    };
    this.passing += 1;
    try {
      await proxyRequest(client, backend, this.waits);
    } catch (error) {
      this.errors.push(error as Error);
      if (client.takeConnection) client.takeConnection(502).socket.destroy();
      else if (client.res.headersSent) client.res.destroy();
      else client.res.writeHead(502, { Connection: 'close' }).end('proxy error');
    } finally {
      this.passing -= 1;
    }
  }

  async #listen(server: NetServer): Promise<void> {
    this.#servers.push(server);
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
  }
}

function signalOf(res: ProxiedRequest['res']): AbortSignal {
  const gone = new AbortController();
  res.once('close', () => {
    if (!res.writableFinished) gone.abort();
  });
  return gone.signal;
}

function portOf(server: NetServer | undefined): number {
  return (server?.address() as AddressInfo).port;
}
