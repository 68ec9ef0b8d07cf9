/** The HTTP room over real TLS sockets, with fake verbs behind it. */
import { Agent, request } from 'node:https';
import { connect, type TLSSocket } from 'node:tls';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { AuthenticationRequest, Authenticator } from '../../../src/authn/types.ts';
import type { Authorizer } from '../../../src/authz/types.ts';
import { systemEnvironment } from '../../../src/base/environment.ts';
import type { ApiHandlerDeps } from '../../../src/http/api-handler.ts';
import { createApiHandler } from '../../../src/http/api-handler.ts';
import { versionInfo } from '../../../src/http/plain/info-routes.ts';
import type { ConnectionLimits } from '../../../src/http/connection-gate.ts';
import type { HttpServer, Patience } from '../../../src/http/server.ts';
import { createHttpServer } from '../../../src/http/server.ts';
import type { TlsPolicy } from '../../../src/http/tls-policy.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { HealthChecks } from '../../../src/observe/health-checks.ts';
import type { LogFields, Logger } from '../../../src/observe/log.ts';
import { Metrics } from '../../../src/observe/metrics.ts';
import { createServerMetrics } from '../../../src/observe/server-metrics.ts';
import type { Credential, TestAuthority } from '../pki.ts';
import { makeAuthority } from '../pki.ts';
import { fakeCatalogue, standardResources } from './fake-catalogue.ts';
import { FakeVerbs } from './fake-verbs.ts';

export interface Answer {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
  /** The body as JSON. */
  json(): Record<string, unknown>;
}

export interface Ask {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
  readonly client?: Credential;
}

export interface HttpRoom {
  readonly verbs: FakeVerbs;
  readonly health: HealthChecks;
  readonly metrics: Metrics;
  readonly server: HttpServer;
  readonly authority: TestAuthority;
  readonly logs: { level: string; message: string; fields: LogFields }[];
  /** What the authenticator was asked; replace the two deciders at will. */
  readonly asked: AuthenticationRequest[];
  authenticate: Authenticator['authenticate'];
  authorize: Authorizer['authorize'];
  ask(path: string, options?: Ask): Promise<Answer>;
  /** The answer as a stream. */
  open(path: string, options?: Ask): Promise<IncomingMessage>;
  /** A connection on which these bytes are sent. */
  raw(bytes: string): TLSSocket;
  close(): Promise<void>;
}

export async function openRoom(
  folder: string,
  {
    tlsPolicy,
    healthCheckPort = 0,
    ...deps
  }: Partial<ApiHandlerDeps> & { readonly tlsPolicy?: TlsPolicy; readonly healthCheckPort?: number } = {},
  patience?: Patience,
  limits?: ConnectionLimits,
): Promise<HttpRoom> {
  const authority = await makeAuthority(folder);
  const certificate = await authority.server('api');
  const verbs = new FakeVerbs();
  const health = new HealthChecks({ clock: systemEnvironment.clock });
  const metrics = new Metrics();
  const serverMetrics = createServerMetrics(metrics);
  const logs: HttpRoom['logs'] = [];
  const catalogue = fakeCatalogue(standardResources);
  const handler = createApiHandler({
    ...systemEnvironment,
    naming: namingProfiles.orch,
    catalogue: () => catalogue,
    verbs,
    authenticator: {
      authenticate: (facts) => {
        room.asked.push(facts);
        return room.authenticate(facts);
      },
    },
    authorizer: { authorize: (attributes) => room.authorize(attributes) },
    logger: noting(logs),
    metrics,
    serverMetrics,
    health,
    version: versionInfo('0.0.0'),
    ...deps,
  });
  const tls = { cert: certificate.cert, key: certificate.key, clientCa: authority.ca };
  const server = await createHttpServer({
    ...{ host: '127.0.0.1', port: 0, healthCheckPort, tls, handler, logger: noting(logs) },
    ...(patience && { patience }),
    ...(tlsPolicy && { tlsPolicy }),
    ...(limits && { connections: { ...limits, metrics: serverMetrics } }),
  });
  const agent = new Agent({ keepAlive: true, ca: authority.ca });
  const room: HttpRoom = {
    verbs,
    health,
    metrics,
    server,
    authority,
    logs,
    asked: [],
    authenticate: always('tester', 'system:authenticated'),
    authorize: () => Promise.resolve({ decision: 'allow', reason: '' }),
    open: (path, options = {}) => send({ port: server.port, agent, ca: authority.ca }, path, options),
    raw: (bytes) => {
      const socket = connect({ host: '127.0.0.1', port: server.port, ca: authority.ca });
      socket.write(bytes);
      return socket;
    },
    ask: async (path, options) => readAnswer(await room.open(path, options)),
    close: async () => {
      agent.destroy();
      await server.close(100);
      handler.close();
    },
  };
  return room;
}

/** Authentication that takes everybody for this user. */
export function always(name: string, ...groups: string[]): Authenticator['authenticate'] {
  const user = { name, uid: '', groups, extra: {} };
  return () => Promise.resolve({ outcome: 'authenticated', user, authenticator: 'test' });
}

function noting(logs: HttpRoom['logs']): Logger {
  const say =
    (level: string) =>
    (message: string, fields: LogFields = {}): void => {
      logs.push({ level, message, fields });
    };
  const logger: Logger = {
    debug: say('debug'),
    info: say('info'),
    warn: say('warn'),
    error: say('error'),
    child: () => logger,
  };
  return logger;
}

interface Target {
  readonly port: number;
  readonly agent: Agent;
  readonly ca: string;
}

function send(target: Target, path: string, options: Ask): Promise<IncomingMessage> {
  const { port, ca } = target;
  const { client } = options;
  return new Promise((resolve, reject) => {
    const req = request(
      {
        host: '127.0.0.1',
        port,
        path,
        method: options.method ?? 'GET',
        // Node sends the body of a DELETE without saying how long it is.
        headers: {
          ...(options.body !== undefined &&
            options.headers?.['transfer-encoding'] === undefined && {
              'content-length': String(Buffer.byteLength(options.body)),
            }),
          ...options.headers,
        },
        agent: client ? false : target.agent,
        ca,
        ...(client && { cert: client.cert, key: client.key }),
      },
      resolve,
    );
    req.once('error', reject);
    req.end(options.body);
  });
}

export async function readAnswer(res: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  for await (const chunk of res) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  return {
    code: res.statusCode ?? 0,
    headers: res.headers,
    bytes,
    text: bytes.toString(),
    json: () => JSON.parse(bytes.toString()) as Record<string, unknown>,
  };
}
