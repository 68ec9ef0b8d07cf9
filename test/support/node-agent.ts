/**
 * A small agent of a node over TLS: logs that grow, programs that it runs in a folder over SPDY or WebSocket, ports that it
 * forwards over SPDY alone (as agents do), any other protocol as an echo in capital letters, and everything else as a report
 * of the request.
 */
import { createServer, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { forwardPorts, runOverSpdy, runOverWebSocket } from './agent-programs.ts';
import type { Credential } from './pki.ts';

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** Common name of the client's certificate; '' without one. */
  readonly peer: string;
}

export class TestAgent {
  readonly seen: SeenRequest[] = [];
  /** Answers of the next requests for logs, in the place of the log. */
  readonly refusals: { readonly code: number; readonly text: string }[] = [];
  readonly #server: Server;
  readonly #logs = new Set<ServerResponse>();
  readonly #sockets = new Set<Socket>();

  private constructor(identity: Credential, clientCa: string, folder: string) {
    const { cert, key } = identity;
    this.#server = createServer({ cert, key, ca: clientCa, requestCert: true, rejectUnauthorized: false });
    this.#server.on('request', (req, res) => {
      void this.#serve(req, res);
    });
    this.#server.on('upgrade', (req: IncomingMessage, socket: Duplex, head: Buffer) => {
      this.seen.push(seenOf(req, ''));
      socket.on('error', () => undefined);
      const isForwarding = (req.url ?? '').startsWith('/portForward/');
      const isWebSocket = req.headers.upgrade === 'websocket';
      if (req.headers['x-stream-protocol-version'] !== undefined)
        if (isForwarding) forwardPorts({ req, socket, head });
        else runOverSpdy({ req, socket, head }, folder);
      else if (isWebSocket && isForwarding) socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n');
      else if (isWebSocket) runOverWebSocket({ req, socket, head }, folder);
      else echo(req, { socket, head });
    });
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  /**
   * @param clientCa of the certificates that clients may show
   * @param folder where programs run
   */
  static async start(identity: Credential, clientCa: string, folder: string): Promise<TestAgent> {
    const agent = new TestAgent(identity, clientCa, folder);
    await new Promise<void>((resolve) => {
      agent.#server.listen(0, '127.0.0.1', resolve);
    });
    return agent;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get last(): SeenRequest | undefined {
    return this.seen.at(-1);
  }

  /** Logs that are followed now. */
  get followed(): number {
    return this.#logs.size;
  }

  /** Adds a line to all logs that are followed. */
  say(line: string): void {
    for (const log of this.#logs) log.write(`${line}\n`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const seen = seenOf(req, Buffer.concat(chunks).toString());
    this.seen.push(seen);
    if (seen.url.startsWith('/containerLogs/')) this.#log(seen, res);
    else res.setHeader('content-type', 'application/json').end(JSON.stringify(seen));
  }

  #log({ url }: SeenRequest, res: ServerResponse): void {
    const refusal = this.refusals.shift();
    if (refusal) {
      // Node writes no code below 100.
      if (refusal.code < 100) res.socket?.end('HTTP/1.1 000 -\r\nContent-Length: 0\r\n\r\n');
      else res.writeHead(refusal.code).end(refusal.text);
      return;
    }
    if (!url.includes('follow=true')) {
      res.end('first\nsecond\n');
      return;
    }
    // As the agents of nodes: nothing before the first line.
    this.#logs.add(res);
    res.on('close', () => this.#logs.delete(res));
  }
}

function seenOf(req: IncomingMessage, body: string): SeenRequest {
  const { method = '', url = '', headers, socket } = req;
  const subject = socket instanceof TLSSocket ? socket.getPeerX509Certificate()?.subject : undefined;
  return { method, url, headers, body, peer: /CN=([^\n]+)/.exec(subject ?? '')?.[1] ?? '' };
}

function echo(
  req: IncomingMessage,
  { socket, head }: { readonly socket: Duplex; readonly head: Buffer },
): void {
  const lines = [
    'HTTP/1.1 101 Switching Protocols',
    `Upgrade: ${req.headers.upgrade ?? ''}`,
    'Connection: Upgrade',
  ];
  socket.write([...lines, '', ''].join('\r\n'));
  const shout = (chunk: Buffer): unknown => socket.write(chunk.toString().toUpperCase());
  shout(head);
  socket.on('data', shout).on('end', () => socket.end());
}
