/**
 * A server of an aggregated API like a metrics server: TLS with client certificates, discovery, OpenAPI v2, metrics of
 * nodes and pods, a watch and a connection of another protocol. It remembers what it was asked.
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import type { Credential } from './pki.ts';

export interface AggregatedCall {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly rawHeaders: readonly string[];
  /** Common name of the client certificate; '' without one. */
  readonly peer: string;
  readonly body: string;
}

export interface ServedGroup {
  readonly group: string;
  readonly version: string;
}

type Handler = (req: IncomingMessage, res: ServerResponse) => boolean;

export class AggregatedServer implements AsyncDisposable {
  readonly calls: AggregatedCall[] = [];
  /** Answers a request in another way, if it gives true. */
  instead: Handler = () => false;
  readonly #server: Server;
  readonly #served: ServedGroup;
  readonly #watches = new Set<ServerResponse>();

  private constructor(server: Server, served: ServedGroup) {
    this.#server = server;
    this.#served = served;
  }

  /** @param authority PEM of who issues certificates of proxies */
  static async start(
    identity: Credential,
    authority: string,
    served: ServedGroup,
  ): Promise<AggregatedServer> {
    const { cert, key } = identity;
    const server = createServer({ cert, key, ca: authority, requestCert: true, rejectUnauthorized: false });
    const made = new AggregatedServer(server, served);
    server.on('request', (req, res) => void made.#serve(req, res));
    server.on('upgrade', (req, socket, head) => made.#upgrade(req, socket, head));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return made;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Watches of clients that are open now. */
  get watches(): number {
    return this.#watches.size;
  }

  /** Sends an event to all watches. */
  send(event: object): void {
    for (const watch of this.#watches) watch.write(`${JSON.stringify(event)}\n`);
  }

  /** Requests whose path begins so. */
  callsTo(path: string): AggregatedCall[] {
    return this.calls.filter(({ url }) => url.startsWith(path));
  }

  /** Accepts no more connections, and ends those that there are. */
  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#server.listening) await this.stop();
  }

  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of req) parts.push(part as Buffer);
    this.#note(req, Buffer.concat(parts).toString());
    if (this.instead(req, res)) return;
    const { pathname, searchParams } = new URL(req.url ?? '/', 'https://backend');
    const { group, version } = this.#served;
    const base = `/apis/${group}/${version}`;
    if (searchParams.get('watch') === 'true') this.#watch(res);
    else if (req.method !== 'GET') sendJson(req, res, { echo: this.calls.at(-1)?.body });
    else if (pathname === base) sendJson(req, res, this.#resources());
    else if (pathname === '/openapi/v2') sendJson(req, res, metricsOpenApi(group, version));
    else if (pathname === `${base}/nodes`)
      sendJson(req, res, this.#list('NodeMetricsList', [nodeMetrics('node-1')]));
    else if (/\/pods$/.test(pathname)) sendJson(req, res, this.#list('PodMetricsList', [podMetrics('web')]));
    else
      sendJson(
        req,
        res,
        { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 404, reason: 'NotFound' },
        404,
      );
  }

  #note(req: IncomingMessage, body: string): void {
    const { method = '', url = '', headers, rawHeaders, socket } = req;
    const subject =
      socket instanceof TLSSocket && (socket.getPeerCertificate() as { subject?: { CN?: string } }).subject;
    const peer = (subject && subject.CN) || '';
    this.calls.push({ ...{ method, url, headers, rawHeaders, body }, peer });
  }

  /** Echoes what is sent, after a greeting. */
  #upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#note(req, '');
    socket.on('error', () => undefined);
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nhello ');
    socket.write(head);
    socket.pipe(socket);
  }

  #watch(res: ServerResponse): void {
    res.writeHead(200, { 'content-type': 'application/json' });
    res.flushHeaders();
    this.#watches.add(res);
    res.on('close', () => this.#watches.delete(res));
  }

  #resources(): object {
    const { group, version } = this.#served;
    const verbs = ['get', 'list', 'watch'];
    return {
      ...{ kind: 'APIResourceList', apiVersion: 'v1', groupVersion: `${group}/${version}` },
      resources: [
        {
          name: 'nodes',
          singularName: '',
          namespaced: false,
          kind: 'NodeMetrics',
          verbs,
          shortNames: ['nm'],
        },
        { name: 'pods', singularName: '', namespaced: true, kind: 'PodMetrics', verbs },
        { name: 'pods/echo', singularName: '', namespaced: true, kind: 'PodMetrics', verbs: ['get'] },
      ],
    };
  }

  #list(kind: string, items: readonly object[]): object {
    const { group, version } = this.#served;
    const apiVersion = `${group}/${version}`;
    return { kind, apiVersion, metadata: {}, items: items.map((item) => ({ ...item, apiVersion })) };
  }
}

const measured = { timestamp: '2030-01-01T00:00:00Z', window: '30s' };

function nodeMetrics(name: string): object {
  return { kind: 'NodeMetrics', metadata: { name }, ...measured, usage: { cpu: '250m', memory: '512Mi' } };
}

function podMetrics(name: string): object {
  const containers = [{ name: 'main', usage: { cpu: '100m', memory: '64Mi' } }];
  return { kind: 'PodMetrics', metadata: { name, namespace: 'default' }, ...measured, containers };
}

/** A document with a definition of a name that every server has, and one of another group. */
export function metricsOpenApi(group: string, version: string): object {
  const kinds = [{ group, version, kind: 'NodeMetrics' }];
  const reference = (name: string): object => ({ $ref: `#/definitions/${name}` });
  const read = {
    operationId: 'listNodeMetrics',
    produces: ['application/json'],
    'x-kubernetes-action': 'list',
    'x-kubernetes-group-version-kind': kinds[0],
    responses: { 200: { description: 'OK', schema: reference('test.metrics.NodeMetrics') } },
  };
  return {
    swagger: '2.0',
    info: { title: 'metrics', version: 'v1' },
    paths: {
      [`/apis/${group}/${version}/nodes`]: { get: read },
      '/apis/apps/v1/deployments': { get: { ...read, operationId: 'forged' } },
      '/version/': { get: { ...read, operationId: 'versionOfBackend' } },
    },
    definitions: {
      'test.metrics.NodeMetrics': {
        type: 'object',
        description: 'Usage of a node.',
        properties: { metadata: reference('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta') },
        'x-kubernetes-group-version-kind': kinds,
      },
      'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta': { type: 'object', description: 'Another one.' },
      'test.metrics.Unused': { type: 'object' },
    },
  };
}

function sendJson(req: IncomingMessage, res: ServerResponse, value: object, code = 200): void {
  const body = JSON.stringify(value);
  const etag = `"${createHash('sha256').update(body).digest('hex')}"`;
  if (req.headers['if-none-match'] === etag) {
    res.writeHead(304).end();
    return;
  }
  res.writeHead(code, { 'content-type': 'application/json', etag, 'set-cookie': 'kept=1' }).end(body);
}
