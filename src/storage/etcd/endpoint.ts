/** One member of etcd: its connections, opened when first needed and replaced when they are suspected dead. */
import { isIP } from 'node:net';
import { checkServerIdentity as check, type PeerCertificate } from 'node:tls';

import { Client, connectivityState, credentials, Metadata } from '@grpc/grpc-js';

import type { StorageOptions } from '../options.ts';
import { EtcdFault } from './faults.ts';
import { authenticateMethod } from './messages.ts';

export type Service = 'KV' | 'Watch';

/** What a call needs. */
export interface Connection {
  readonly client: Client;
  readonly metadata: Metadata;
}

const defaultPort = '2379';
const authenticateMs = 5_000;

/**
 * The window lets a whole page travel without waiting for acknowledgements. Each service has its own TCP
 * connection, so that a large history replay cannot delay a probe.
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

/** A client with one TCP connection. */
interface Line {
  readonly client: Client;
  /** Known once credentials are there. */
  connection: Connection | undefined;
}

export class Endpoint {
  readonly url: string;
  readonly #options: StorageOptions;
  readonly #lines = new Map<Service, Line>();
  #isClosed = false;

  constructor(url: string, options: StorageOptions) {
    this.url = url;
    this.#options = options;
  }

  /**
   * A connection that is up, so that whatever fails later may have been sent.
   * @throws EtcdFault `notSent`
   */
  async connection(service: Service, timeoutMs: number): Promise<Connection> {
    const connection = this.#lines.get(service)?.connection ?? (await this.#open(service));
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

  /** The connection if it is known to be up. */
  upConnection(service: Service): Connection | undefined {
    const connection = this.#lines.get(service)?.connection;
    if (connection === undefined) return undefined;
    return isReady(connection.client.getChannel().getConnectivityState(false)) ? connection : undefined;
  }

  /** Drops a suspected connection with its token; calls under way on it may finish. Another one is left alone. */
  drop(service: Service, suspect: Connection): void {
    const line = this.#lines.get(service);
    if (line?.connection !== suspect) return;
    this.#lines.delete(service);
    line.client.close();
  }

  close(): void {
    this.#isClosed = true;
    for (const { client } of this.#lines.values()) client.close();
    this.#lines.clear();
  }

  async #open(service: Service): Promise<Connection> {
    if (this.#isClosed) throw new EtcdFault('notSent', 'the client of etcd is closed');
    let line = this.#lines.get(service);
    if (line === undefined) {
      line = { client: newClient(this.url, this.#options), connection: undefined };
      this.#lines.set(service, line);
    }
    try {
      line.connection ??= { client: line.client, metadata: await this.#credentials(line.client) };
      return line.connection;
    } catch (error) {
      throw new EtcdFault('notSent', `etcd at ${this.url} gives no credentials: ${String(error)}`, error);
    }
  }

  /** What identifies this replica in each call: a token when there is a user. */
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

function isReady(now: connectivityState): boolean {
  return now === connectivityState.READY;
}

function isPending(now: connectivityState): boolean {
  return now === connectivityState.IDLE || now === connectivityState.CONNECTING;
}

/** True when the channel left the state before the deadline. */
function changed(connection: Connection, from: connectivityState, deadline: number): Promise<boolean> {
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
