/** TLS towards the servers of aggregated APIs, and bounded requests of this service itself to them. */
import type { ClientRequest, IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { createSecureContext, type ConnectionOptions, type SecureContext } from 'node:tls';
import type { Clock } from '../../base/clock.ts';
import { boundHandshake, oneHandshake } from '../../base/handshake-bytes.ts';
import { HandshakeGate } from '../../base/handshake-gate.ts';
import { byName } from '../../base/host-names.ts';
import { limitInformational, wholeBody } from '../../base/http-response.ts';
import { PacedAgent } from '../../base/paced-agent.ts';
import { systemAuthorities } from '../../base/system-authorities.ts';
import { timeLimit } from '../../base/time-limit.ts';
import type { UserInfo } from '../../meta/user.ts';
import type { Backend, RegisteredService } from './registered-service.ts';
import type { LocateService, Location } from '../../webhook/service-location.ts';
import { userHeaders } from '../../meta/user-headers.ts';

/** A certificate and its key, PEM. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

/** How servers know who asks, and for whom. */
export interface ClientIdentity {
  readonly certificate: ClientCertificate | undefined;
  /** Whether they are told the UID of the user. */
  readonly passesUid: boolean;
}

export interface DocumentRequest {
  readonly path: string;
  readonly user: UserInfo;
  /** Values by name. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes. */
  readonly longest: number;
  readonly timeoutMs: number;
}

export interface Probe extends Pick<DocumentRequest, 'user' | 'timeoutMs'> {
  /** Aborted once no caller waits for the answer. */
  readonly signal: AbortSignal;
}

export interface BackendRequest extends Pick<DocumentRequest, 'path' | 'user' | 'headers'> {
  /** Absent: GET. */
  readonly method?: string;
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
}

export interface DocumentAnswer {
  readonly code: number;
  /** '' without one. */
  readonly etag: string;
  /** Empty unless the code is 200. */
  readonly body: Buffer;
}

/** How a server is recognized and what is shown to it. */
export interface BackendTls {
  readonly ca?: string | readonly string[];
  readonly servername: string;
  readonly insecureSkipVerify: boolean;
  readonly cert?: string;
  readonly key?: string;
}

/** How a connection to the server of a service is made. */
export interface BackendAccess extends Location {
  readonly tls: BackendTls;
  /** Connections to use again. */
  readonly agent: PacedAgent;
}

/** Idle time before TCP keepalive probes find a server that is gone. */
const keepAliveMs = 30_000;
/** An idle connection is closed after this time. */
const idleMs = 60_000;
/** Idle connections that are kept to one server; those in use are as many as clients need, for watches keep theirs. */
const maxFreeSockets = 16;

export class BackendConnections {
  readonly #clock: Clock;
  readonly #locate: LocateService;
  readonly #gate: HandshakeGate;
  #certificate: ClientCertificate | undefined;
  readonly #passesUid: boolean;
  /** Of all probes, made once for one certificate: 500 and more begin when a Service behind 500 APIServices changes. */
  #probeContext: SecureContext | undefined;
  /** By service; made for one state of its registration and one certificate. */
  readonly #agents = new Map<string, { readonly wish: string; readonly agent: PacedAgent }>();

  constructor(clock: Clock, locate: LocateService, { certificate, passesUid }: ClientIdentity) {
    this.#clock = clock;
    this.#gate = new HandshakeGate(clock);
    this.#locate = locate;
    this.#certificate = certificate;
    this.#passesUid = passesUid;
  }

  /** New connections use this certificate. */
  use(certificate: ClientCertificate | undefined): void {
    this.#certificate = certificate;
    this.#probeContext = undefined;
    this.close();
  }

  /** Closes idle connections; those in use end with their request. */
  close(): void {
    for (const name of this.#agents.keys()) this.forget(name);
  }

  /** The service is gone or was changed. */
  forget(name: string): void {
    const known = this.#agents.get(name);
    this.#agents.delete(name);
    if (known) retire(known.agent);
  }

  /**
   * Where the server is, and how its certificate is verified.
   * @throws Error if its Service leads nowhere, or it is served here
   */
  access({ name, wish, backend }: RegisteredService): BackendAccess {
    if (!backend) throw new Error(`APIService ${JSON.stringify(name)} is served here`);
    const tls = this.#tlsOf(backend);
    return { ...this.#locate(backend), tls, agent: this.#agentOf({ name, wish, tls }) };
  }

  /**
   * Whether a server answers at all. Its certificate is not verified, as in the reference: nothing it says is used.
   * @throws Error if it does not answer in time, or is not asked to the end
   */
  async probe(location: Location, path: string, asked: Probe): Promise<number> {
    using limit = timeLimit(this.#clock, asked.timeoutMs, asked.signal);
    const { signal } = limit;
    const secureContext = (this.#probeContext ??= createSecureContext({
      ...this.#certificate,
      ...oneHandshake,
    }));
    const tls: ConnectionOptions = { rejectUnauthorized: false, secureContext };
    const headers = userHeaders(asked.user, this.#passesUid);
    const connection = { ...tls, agent: false } as const;
    const response = await send({ ...location, path, signal }, { connection, headers, gate: this.#gate });
    response.destroy();
    return response.statusCode ?? 0;
  }

  /**
   * A whole document of a server; redirects are not followed.
   * @throws Error if it does not arrive in time, or is too long
   */
  async document(service: RegisteredService, asked: DocumentRequest): Promise<DocumentAnswer> {
    using limit = timeLimit(this.#clock, asked.timeoutMs);
    const { signal } = limit;
    const response = await this.request(service, { ...asked, signal });
    const code = response.statusCode ?? 0;
    if (code !== 200) {
      response.destroy();
      return { code, etag: '', body: Buffer.alloc(0) };
    }
    return { code, etag: response.headers.etag ?? '', body: await wholeBody(response, asked.longest) };
  }

  /**
   * The response to a request, whose body the caller reads; redirects are not followed.
   * @throws Error if there is none
   */
  async request(service: RegisteredService, asked: BackendRequest): Promise<IncomingMessage> {
    const { host, port, tls, agent } = this.access(service);
    const { insecureSkipVerify, servername } = tls;
    const connection = { servername, agent, rejectUnauthorized: !insecureSkipVerify };
    const headers = { ...asked.headers, ...userHeaders(asked.user, this.#passesUid) };
    const { path, signal, method, body } = asked;
    const target = { host, port, path, signal, ...(method !== undefined && { method }), body };
    return send(target, { connection, headers, gate: this.#gate });
  }

  #tlsOf({ namespace, name, ca, skipsVerification }: Backend): BackendTls {
    return {
      servername: `${name}.${namespace}.svc`,
      insecureSkipVerify: skipsVerification,
      ...(!skipsVerification && { ca: ca === '' ? systemAuthorities() : ca }),
      ...this.#certificate,
    };
  }

  #agentOf({ name, wish, tls }: { name: string; wish: string; tls: BackendTls }): PacedAgent {
    const known = this.#agents.get(name);
    if (known?.wish === wish) return known.agent;
    this.forget(name);
    const options = { keepAlive: true, maxFreeSockets, timeout: idleMs };
    const agent = new PacedAgent(this.#clock, identityOf(tls), options);
    this.#agents.set(name, { wish, agent });
    return agent;
  }
}

interface Target extends Location {
  readonly path: string;
  readonly signal: AbortSignal;
  /** Absent: GET. */
  readonly method?: string;
  readonly body?: string | undefined;
}

interface Sending {
  readonly connection: ConnectionOptions & { readonly agent: PacedAgent | false };
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly gate: HandshakeGate;
}

function send(target: Target, { connection, headers, gate }: Sending): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const { body, ...place } = target;
  const { agent } = connection;
  const sendNow = (): ClientRequest => {
    const sent = request({
      ...{ ...byName, method: 'GET', ...place },
      ...connection,
      headers: { 'user-agent': 'orch-apiserver', 'accept-encoding': 'identity', ...headers },
    });
    limitInformational(sent);
    if (agent !== false) agent.follow(sent, place);
    else sent.once('socket', boundHandshake);
    sent.on('response', resolve).on('error', reject);
    sent.on('socket', (socket) => socket.setKeepAlive(true, keepAliveMs));
    sent.on('close', () => {
      reject(new Error('the connection was closed without an answer'));
    });
    return sent.end(body);
  };
  gate
    .begin(target.signal, (note) =>
      agent === false
        ? note(sendNow())
        : agent.begin(target, target.signal, () => {
            note(sendNow());
          }),
    )
    .catch(reject);
  return promise;
}

function identityOf({ ca, cert, key }: BackendTls): Pick<ConnectionOptions, 'ca' | 'cert' | 'key'> {
  return {
    ...(ca !== undefined && { ca: typeof ca === 'string' ? ca : [...ca] }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  };
}

function retire(agent: PacedAgent): void {
  agent.maxFreeSockets = 0;
  for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
}
