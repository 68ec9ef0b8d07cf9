/**
 * A small agent of a node over TLS: logs that grow, programs that it runs in a folder over WebSocket
 * (`v4.channel.k8s.io`, `v5.channel.k8s.io`), any other protocol as an echo in capital letters, and everything else as a
 * report of the request.
 */
import { spawn } from 'node:child_process';
import { createServer, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import type { Credential } from './pki.ts';
import { acceptWebSocket } from './websocket.ts';

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** Common name of the client's certificate; '' without one. */
  readonly peer: string;
}

const channels = { input: 0, output: 1, errors: 2, status: 3, close: 255 };

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
      if (req.headers.upgrade === 'websocket') runProgram(req, { socket, head }, folder);
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
      res.writeHead(refusal.code).end(refusal.text);
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

/** Runs the command of the request; its input, output and exit code pass on channels. */
function runProgram(
  req: IncomingMessage,
  end: { readonly socket: Duplex; readonly head: Buffer },
  folder: string,
): void {
  const query = new URLSearchParams((req.url ?? '').split('?')[1]);
  const [program = 'true', ...args] = query.getAll('command');
  const [protocol = ''] = (req.headers['sec-websocket-protocol'] ?? '').split(',');
  const stream = acceptWebSocket(req, end, protocol.trim());
  const on = (channel: number, data: Buffer): void => {
    stream.send(Buffer.concat([Buffer.from([channel]), data]));
  };
  const child = spawn(program, args, { cwd: folder });
  child.stdout.on('data', (chunk: Buffer) => {
    on(channels.output, chunk);
  });
  child.stderr.on('data', (chunk: Buffer) => {
    on(channels.errors, chunk);
  });
  child.stdin.on('error', () => undefined);
  if (!query.has('input')) child.stdin.end();
  stream.onFrame = ({ data }) => {
    if (data[0] === channels.close) child.stdin.end();
    else if (data[0] === channels.input) child.stdin.write(data.subarray(1));
  };
  child.on('close', (code) => {
    on(channels.status, Buffer.from(JSON.stringify(statusOf(code ?? 1))));
    stream.send(Buffer.from([3, 232]), 8);
    stream.socket.end();
  });
  stream.socket.on('close', () => child.kill());
}

function statusOf(code: number): object {
  if (code === 0) return { metadata: {}, status: 'Success' };
  const causes = [{ reason: 'ExitCode', message: String(code) }];
  return { metadata: {}, status: 'Failure', reason: 'NonZeroExitCode', details: { causes } };
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
