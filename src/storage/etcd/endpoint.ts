/** One member of etcd: its connections, opened when first needed and renewed when they are suspected dead. */
import { Etcd3, type IOptions } from 'etcd3';

import type { StorageOptions } from '../options.ts';
import { EtcdFault } from './faults.ts';

/** Gives the gRPC client itself: deadlines, retries and failover are decided in `client.ts`, not by etcd3's pool. */
class Member extends Etcd3 {
  connect(service: 'KV' | 'Watch') {
    return this.pool.withConnection(service, ({ client, metadata }) => ({ client, metadata }));
  }
}

export type Connection = Awaited<ReturnType<Member['connect']>>;

/** Numbers of grpc-js's connectivity states. */
const state = { idle: 0, connecting: 1, ready: 2 } as const;

/**
 * A megabyte of window lets a page travel without waiting for acknowledgements. Each service has its own TCP
 * connection, so that a large history replay cannot delay a probe.
 */
const channelOptions = {
  'grpc.max_receive_message_length': -1,
  'grpc.max_send_message_length': -1,
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 5_000,
  'grpc.keepalive_permit_without_calls': 1,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1_000,
  'grpc.use_local_subchannel_pool': 1,
  'grpc-node.flow_control_window': 4 * 1024 * 1024,
};

export class Endpoint {
  readonly url: string;
  readonly #options: IOptions;
  readonly #connections = new Map<'KV' | 'Watch', Connection>();
  #member: Member;
  #closed = false;

  constructor(url: string, options: StorageOptions) {
    this.url = url;
    this.#options = memberOptions(url, options);
    this.#member = new Member(this.#options);
  }

  /**
   * A connection that is up, so that whatever fails later may have been sent.
   * @throws EtcdFault `notSent`
   */
  async connection(service: 'KV' | 'Watch', timeoutMs: number): Promise<Connection> {
    const connection = this.#connections.get(service) ?? (await this.#open(service));
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
  upConnection(service: 'KV' | 'Watch'): Connection | undefined {
    const connection = this.#connections.get(service);
    if (connection === undefined) return undefined;
    return isReady(connection.client.getChannel().getConnectivityState(false)) ? connection : undefined;
  }

  /** Drops connections and token; calls under way may finish. */
  renew(): void {
    if (this.#closed) return;
    this.#connections.clear();
    this.#member.close();
    this.#member = new Member(this.#options);
  }

  close(): void {
    this.#closed = true;
    this.#connections.clear();
    this.#member.close();
  }

  async #open(service: 'KV' | 'Watch'): Promise<Connection> {
    const member = this.#member;
    const connection = await member.connect(service).catch((error: unknown) => {
      throw new EtcdFault('notSent', `etcd at ${this.url} gives no credentials: ${String(error)}`, error);
    });
    if (member === this.#member) this.#connections.set(service, connection);
    return connection;
  }
}

type ChannelState = ReturnType<ReturnType<Connection['client']['getChannel']>['getConnectivityState']>;

function isReady(now: number): boolean {
  return now === state.ready;
}

function isPending(now: number): boolean {
  return now === state.idle || now === state.connecting;
}

/** True when the channel left the state before the deadline. */
function changed(connection: Connection, from: ChannelState, deadline: number): Promise<boolean> {
  return new Promise((resolve) => {
    connection.client.getChannel().watchConnectivityState(from, deadline, (error) => {
      resolve(error === undefined);
    });
  });
}

function memberOptions(url: string, options: StorageOptions): IOptions {
  const { tls, username, password } = options;
  return {
    hosts: [url],
    grpcOptions: channelOptions,
    ...(tls === undefined ? {} : { credentials: credentialsOf(tls) }),
    ...(username === undefined
      ? {}
      : {
          auth: { username, password: password ?? '', callOptions: () => ({ deadline: Date.now() + 5_000 }) },
        }),
  };
}

function credentialsOf(tls: NonNullable<StorageOptions['tls']>): NonNullable<IOptions['credentials']> {
  return {
    rootCertificate: tls.ca,
    ...(tls.key === undefined ? {} : { privateKey: tls.key }),
    ...(tls.cert === undefined ? {} : { certChain: tls.cert }),
  };
}
