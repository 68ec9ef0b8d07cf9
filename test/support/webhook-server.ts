/** An HTTPS server for tests of webhooks: answers POSTs of JSON as the test says, and remembers them. */
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

import type { Credential, TestAuthority } from './pki.ts';

export interface WebhookCall {
  readonly path: string;
  readonly body: Record<string, unknown>;
  readonly authorization: string;
  readonly userAgent: string;
  /** '' without a trace. */
  readonly traceparent: string;
  /** Common name of the client certificate; '' without one. */
  readonly peer: string;
}

export interface WebhookAnswer {
  readonly status?: number;
  readonly body?: object | string;
  readonly headers?: Readonly<Record<string, string>>;
}

export class WebhookServer implements AsyncDisposable {
  readonly calls: WebhookCall[] = [];
  /** What is answered next. */
  answer: (call: WebhookCall) => WebhookAnswer | Promise<WebhookAnswer> = () => ({ status: 500 });
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(identity: Credential, authority: TestAuthority): Promise<WebhookServer> {
    const server = createServer({
      cert: identity.cert,
      key: identity.key,
      ca: authority.ca,
      requestCert: true,
      rejectUnauthorized: false,
    });
    const hook = new WebhookServer(server);
    server.on('request', (req, res) => {
      const parts: Buffer[] = [];
      req.on('data', (part: Buffer) => parts.push(part));
      req.on('end', () => {
        const call: WebhookCall = {
          path: req.url ?? '',
          body: JSON.parse(Buffer.concat(parts).toString('utf8')) as Record<string, unknown>,
          authorization: req.headers.authorization ?? '',
          userAgent: req.headers['user-agent'] ?? '',
          traceparent: req.headers['traceparent']?.toString() ?? '',
          peer: peerOf(req.socket),
        };
        hook.calls.push(call);
        void Promise.resolve(hook.answer(call)).then(({ status = 200, body = '', headers = {} }) => {
          res.writeHead(status, { 'content-type': 'application/json', ...headers });
          res.end(typeof body === 'string' ? body : JSON.stringify(body));
        });
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return hook;
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function peerOf(socket: Socket): string {
  if (!(socket instanceof TLSSocket)) return '';
  const { subject } = socket.getPeerCertificate() as { subject?: { CN?: string } };
  return subject?.CN ?? '';
}
