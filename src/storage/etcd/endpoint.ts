/** One member of etcd: its connections, opened when first needed and replaced when they are suspected dead. */
import { isIP } from 'node:net';
import { checkServerIdentity as check, type PeerCertificate } from 'node:tls';

import { Client, connectivityState, credentials, Metadata } from '@grpc/grpc-js';

import { Backoff } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import { withDeadline } from '../../base/pause.ts';
import type { StorageOptions } from '../options.ts';
import { EtcdFault, toFault } from './faults.ts';
import { authenticateMethod } from './messages.ts';
import { UnaryLine } from './unary-line.ts';

/** What a watch needs. */
export interface WatchConnection {
  readonly client: Client;
  readonly metadata: Metadata;
}

const defaultPort = '2379';
const authenticateMs = 5_000;

/**
 * Watches have a TCP connection of their own, so that a large history replay cannot delay a probe. The window lets a
 * whole response travel without waiting for acknowledgements.
 */
const channelOptions = {
  'grpc.max_receive_message_length': -1,
  'grpc.max_send_message_length': -1,
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 5_000,
  // etcd ends connections that ping without a call under way; calls find a dead idle connection by their deadline.
  'grpc.keepalive_permit_without_calls': 0,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1_000,
  'grpc.use_local_subchannel_pool': 1,
  'grpc-node.flow_control_window': 4 * 1024 * 1024,
};

/** A client of grpc-js with one TCP connection. */
interface WatchLine {
  readonly client: Client;
  /** Known once credentials are there. */
  connection: WatchConnection | undefined;
}

export interface EndpointDependencies {
  readonly options: StorageOptions;
  readonly clock: Clock;
  readonly attemptMs: number;
}

export class Endpoint {
  readonly url: string;
  readonly #options: StorageOptions;
  readonly #clock: Clock;
  readonly #attemptMs: number;
  /** After a failure the member is left alone for a while, so that calls do not all wait for it. */
  readonly #backoff = new Backoff({ firstMs: 100, maxMs: 1_000 });
  #leftAloneUntil = 0;
  #whyLeftAlone: unknown;
  #unary: UnaryLine | undefined;
  #connecting: Promise<UnaryLine> | undefined;
  #watch: WatchLine | undefined;
  #isClosed = false;

  /** `attemptMs` bounds what bringing a line up may take. */
  constructor(url: string, { options, clock, attemptMs }: EndpointDependencies) {
    this.url = url;
    this.#options = options;
    this.#clock = clock;
    this.#attemptMs = attemptMs;
  }

  /** The line for unary calls if it is up, so that whatever fails later may have been sent. */
  unaryLine(): UnaryLine | undefined {
    return this.#unary?.isUp === true ? this.#unary : undefined;
  }

  /** Brings a line up, one for all who ask meanwhile. @throws EtcdFault `notSent` */
  async bringUp(timeoutMs: number): Promise<UnaryLine> {
    if (this.#isClosed) throw new EtcdFault('notSent', 'the client of etcd is closed');
    if (this.#clock.monotonic() < this.#leftAloneUntil) throw toFault(this.#whyLeftAlone, 'connect');
    this.#connecting ??= this.#connect().finally(() => (this.#connecting = undefined));
    // etcd checks passwords slowly on purpose.
    const patience = this.#options.username === undefined ? timeoutMs : Math.max(timeoutMs, authenticateMs);
    return withDeadline(this.#connecting, patience, () => {
      return new EtcdFault('notSent', `etcd at ${this.url} cannot be reached in time`);
    });
  }

  /** Drops a suspected line with its token; calls under way on it may finish. Another one is left alone. */
  dropUnary(suspect: UnaryLine, graceMs: number): void {
    if (this.#unary === suspect) this.#unary = undefined;
    suspect.close(graceMs);
  }

  /** @throws EtcdFault `notSent` */
  async watchConnection(timeoutMs: number): Promise<WatchConnection> {
    const connection = this.#watch?.connection ?? (await this.#openWatch());
    const channel = connection.client.getChannel();
    const deadline = Date.now() + timeoutMs;
    let now = channel.getConnectivityState(true);
    while (isPending(now)) {
      if (!(await changed(connection, now, deadline))) break;
      now = channel.getConnectivityState(true);
    }
    if (!isReady(now)) throw new EtcdFault('notSent', `etcd at ${this.url} cannot be reached`);
    return connection;
  }

  /** As `dropUnary`. */
  dropWatch(suspect: WatchConnection): void {
    if (this.#watch?.connection !== suspect) return;
    this.#watch.client.close();
    this.#watch = undefined;
  }

  close(): void {
    this.#isClosed = true;
    this.#unary?.close(0);
    this.#watch?.client.close();
    this.#watch = undefined;
  }

  async #connect(): Promise<UnaryLine> {
    try {
      const line = await UnaryLine.connect(addressOf(this.url), this.#options.tls, this.#attemptMs);
      await this.#authenticate(line);
      this.#backoff.reset();
      this.#unary = line;
      if (this.#isClosed) line.close(0);
      return line;
    } catch (error) {
      this.#whyLeftAlone = error;
      this.#leftAloneUntil = this.#clock.monotonic() + this.#backoff.nextMs();
      throw error;
    }
  }

  async #authenticate(line: UnaryLine): Promise<void> {
    const { username: name, password = '' } = this.#options;
    if (name === undefined) return;
    try {
      line.useToken((await line.call(authenticateMethod, { name, password }, authenticateMs)).token);
    } catch (error) {
      line.close(0);
      throw this.#noCredentials(error);
    }
  }

  async #openWatch(): Promise<WatchConnection> {
    if (this.#isClosed) throw new EtcdFault('notSent', 'the client of etcd is closed');
    this.#watch ??= { client: newClient(this.url, this.#options), connection: undefined };
    const line = this.#watch;
    try {
      line.connection ??= { client: line.client, metadata: await this.#credentials(line.client) };
      return line.connection;
    } catch (error) {
      throw this.#noCredentials(error);
    }
  }

  #noCredentials(error: unknown): EtcdFault {
    const why = error instanceof Error ? error.message : toFault(error, 'authenticate').message;
    return new EtcdFault('notSent', `etcd at ${this.url} gives no credentials: ${why}`, error);
  }

  /** What identifies this replica on a watch: a token when there is a user. */
  #credentials(client: Client): Promise<Metadata> {
    const { username, password = '' } = this.#options;
    if (username === undefined) return Promise.resolve(new Metadata());
    const { path, encode, decode } = authenticateMethod;
    const request = { name: username, password };
    const options = { deadline: Date.now() + authenticateMs };
    return new Promise((resolve, reject) => {
      client.makeUnaryRequest(path, encode, decode, request, new Metadata(), options, (error, answer) => {
        if (answer === undefined) {
          reject(error ?? new Error('etcd answered nothing'));
          return;
        }
        const metadata = new Metadata();
        metadata.set('token', answer.token);
        resolve(metadata);
      });
    });
  }
}

/** The URL with etcd's port where it names none. */
function addressOf(url: string): string {
  const address = new URL(url);
  return `${address.protocol}//${address.hostname}:${address.port === '' ? defaultPort : address.port}`;
}

function isReady(now: connectivityState): boolean {
  return now === connectivityState.READY;
}

function isPending(now: connectivityState): boolean {
  return now === connectivityState.IDLE || now === connectivityState.CONNECTING;
}

/** True when the channel left the state before the deadline. */
function changed(connection: WatchConnection, from: connectivityState, deadline: number): Promise<boolean> {
  return new Promise((resolve) => {
    connection.client.getChannel().watchConnectivityState(from, deadline, (error) => {
      resolve(error === undefined);
    });
  });
}

function newClient(url: string, { tls }: StorageOptions): Client {
  const { protocol, hostname, port } = new URL(url);
  const address = `${hostname}:${port === '' ? defaultPort : port}`;
  if (protocol !== 'https:') return new Client(address, credentials.createInsecure(), channelOptions);
  const host = hostname.replaceAll(/[[\]]/g, '');
  // Node.js refuses an IP address as the server name of TLS, which grpc-js would send: another name is sent, and
  // the certificate is checked for the address.
  const isAddress = isIP(host) !== 0;
  const verify = isAddress
    ? { checkServerIdentity: (_: string, cert: PeerCertificate) => check(host, cert) }
    : {};
  const secure = credentials.createSsl(tls?.ca ?? null, tls?.key ?? null, tls?.cert ?? null, verify);
  const naming = isAddress ? { 'grpc.ssl_target_name_override': 'etcd' } : {};
  return new Client(address, secure, { ...channelOptions, ...naming });
}
