/**
 * Limits connections and TLS handshakes before a request is read. A handshake costs a millisecond of the serving
 * thread and a connection 80 KB, or 100 KB for HTTP/2, most of it in OpenSSL, so both are bounded. Behind a load balancer that passes TLS through, all
 * clients share one address, so an address alone is no reason to reject a connection. Its health checks come from that
 * address, too: they have a port of their own (`health-check-listener.ts`), and limits and turns are by address and port.
 *
 *   accepted ──▶ silent ──first bytes──▶ waiting ──its turn──▶ handshake ──▶ pending ──an authenticated request──▶ established
 *                  │                        │ (round-robin by address and port, one handshake per turn of the event loop)
 *                  └── deadline: closed     └── deadline: closed
 *
 * First bytes, second halves of handshakes and ends are read in turn, too (`early-reading.ts`): clients decide when they come,
 * and all may come at once.
 *
 * Silent, waiting and pending connections are not authenticated yet. If there are too many, the oldest one of the
 * address with most of them is closed, so a flooding client displaces itself. An established connection is never
 * closed in favour of another one.
 */
import type { Socket } from 'node:net';
import { mostHandshakeBytes } from '../base/handshake-bytes.ts';
import { ownCounts, type Count, type Counts, type KeyedCount } from '../base/counts.ts';
import { FewATurn } from '../base/few-a-turn.ts';
import type { NumberFamily } from '../observe/metric-series.ts';
import { networkOf } from './client-address.ts';
import { EarlyReads, type EarlyReading } from './early-reading.ts';
import { tlsSocketOf } from './tls-socket-of.ts';

export interface ConnectionLimits {
  /** Maximum number of open connections; 0 means no limit. */
  readonly max: number;
  /** Maximum number of open connections of one address to one port; 0 means no limit. */
  readonly maxPerAddress: number;
  /** Maximum number of open connections that are not authenticated yet; absent for the default. */
  readonly maxPending?: number;
  /** Of all threads of the process that listen; absent: there is one. */
  readonly counts?: Counts | undefined;
}

export interface GateOptions extends ConnectionLimits {
  /** Maximum time without a first byte. */
  readonly handshakeMs: number;
  /** Maximum wait for the turn of a handshake, which is no fault of its client. */
  readonly queueMs: number;
  /** Counts connections closed by the gate, by `reason`. */
  readonly rejected: NumberFamily;
}

/** Reasons for which the gate closes a connection. */
export const rejectionReasons = ['limit', 'address-limit', 'displaced', 'silent', 'overdue'] as const;
type Reason = (typeof rejectionReasons)[number];

/** Default of `maxPending`: half a gigabyte. */
export const usualPending = 5_000;
/** Maximum number of handshakes in progress: what the two halves of one cost together delays others by one turn each. */
const maxHandshakes = 64;
const maxHandshakesPerAddress = 48;
/**
 * A handshake that waits for its client costs no CPU time and is not counted after this time, so unfinished ones
 * delay others no longer.
 */
const handshakeCountsMs = 50;

interface Connection {
  socket: Socket;
  readonly client: Client;
  /** Identifies the connection for the server too, which sees another socket object. */
  readonly name: string;
  /** Starts the TLS handshake. */
  readonly begin: () => void;
  readonly reading: EarlyReading;
  timer: NodeJS.Timeout | undefined;
  isShaking: boolean;
  isGone: boolean;
}

/** All connections of one address to one port. */
interface Client {
  readonly key: string;
  open: number;
  handshakes: number;
  /** Connections that are not established, oldest first. */
  readonly pending: Set<Connection>;
  /** Pending connections that wait for a handshake. */
  readonly waiting: Set<Connection>;
}

export class ConnectionGate {
  private readonly options: GateOptions;
  private readonly clients = new Map<string, Client>();
  /** Clients with waiting connections, round-robin. */
  private readonly queue = new Set<Client>();
  private readonly connections = new Map<string, Connection>();
  private readonly open: Count;
  private readonly byClient: KeyedCount;
  private readonly pending: Count;
  private handshakes = 0;
  private readonly reads = new EarlyReads();
  /** Of connections that are overdue. */
  private readonly ends = new FewATurn();
  private isScheduled = false;

  constructor(options: GateOptions) {
    this.options = options;
    const { counts = ownCounts } = options;
    this.open = counts.count('connections');
    this.pending = counts.count('pending connections');
    this.byClient = counts.keyed('connections by address');
    for (const reason of rejectionReasons) options.rejected.series({ reason }).set(0);
  }

  /** Adds an accepted connection; `begin` starts its handshake. */
  take(socket: Socket, begin: () => void): void {
    // Without a listener an error would crash the process; the following close event is handled.
    socket.on('error', () => undefined);
    const key = `${networkOf(socket.remoteAddress)} ${String(socket.localPort)}`;
    const client = this.clients.get(key) ?? newClient(key);
    const reason = this.refusal(client);
    if (reason !== undefined) {
      this.reject(socket, reason);
      return;
    }
    this.clients.set(key, client);
    this.listen(this.add(client, socket, begin));
  }

  /** Called when a handshake has succeeded or failed; `socket` is the TLS socket of the accepted connection. */
  shaken(socket: Socket): void {
    const connection = this.connections.get(nameOf(socket));
    if (!connection) return;
    connection.reading.endHandshake();
    // From now on the TLS socket is closed; it closes the raw one without an error.
    connection.socket = socket;
    this.endHandshake(connection);
  }

  /** Marks the connection of this socket as authenticated. */
  establish(socket: Socket): void {
    const connection = this.connections.get(nameOf(socket));
    if (connection) this.forgetPending(connection);
  }

  private refusal(client: Client): Reason | undefined {
    const { max, maxPerAddress, maxPending = usualPending } = this.options;
    if (maxPerAddress > 0 && this.byClient.total(client.key) >= maxPerAddress && !this.displaceOf(client))
      return 'address-limit';
    if (this.pending.total >= maxPending) this.displace();
    return max > 0 && this.open.total >= max && !this.displace() ? 'limit' : undefined;
  }

  /**
   * Closes the oldest connection of the address with most connections that are not established. Returns false if
   * there is none.
   */
  private displace(): boolean {
    let most: Client | undefined;
    for (const client of this.clients.values())
      if (client.pending.size > (most?.pending.size ?? 0)) most = client;
    return most !== undefined && this.displaceOf(most);
  }

  private displaceOf(client: Client): boolean {
    const [oldest] = client.pending;
    if (oldest === undefined) return false;
    this.reject(oldest.socket, 'displaced');
    // The close event is emitted in a later turn.
    this.remove(oldest);
    return true;
  }

  private reject(socket: Socket, reason: Reason): void {
    this.options.rejected.series({ reason }).add();
    socket.destroy();
  }

  private add(client: Client, socket: Socket, begin: () => void): Connection {
    const name = nameOf(socket);
    const state = { timer: undefined, isShaking: false, isGone: false };
    const connection = { socket, client, name, begin, reading: this.reads.follow(socket), ...state };
    this.connections.set(name, connection);
    client.pending.add(connection);
    client.open += 1;
    this.open.add(1);
    this.byClient.add(client.key, 1);
    this.pending.add(1);
    socket.once('close', () => {
      this.remove(connection);
    });
    return connection;
  }

  private remove(connection: Connection): void {
    if (connection.isGone) return;
    connection.isGone = true;
    const { client } = connection;
    clearTimeout(connection.timer);
    connection.reading.remove();
    this.endHandshake(connection);
    this.forgetPending(connection);
    client.waiting.delete(connection);
    if (client.waiting.size === 0) this.queue.delete(client);
    this.connections.delete(connection.name);
    this.open.add(-1);
    this.byClient.add(client.key, -1);
    client.open -= 1;
    if (client.open === 0) this.clients.delete(client.key);
  }

  private forgetPending(connection: Connection): void {
    if (connection.client.pending.delete(connection)) this.pending.add(-1);
  }

  /** A silent connection costs only memory; its handshake is queued when the first bytes arrive. */
  private listen(connection: Connection): void {
    const { socket } = connection;
    this.closeAfter(connection, 'silent', this.options.handshakeMs);
    if (socket.readableLength > 0) this.wait(connection);
    else
      socket.once('readable', () => {
        if (socket.readableLength > 0) this.wait(connection);
        else socket.destroy();
      });
  }

  private wait(connection: Connection): void {
    if (connection.isGone) return;
    this.closeAfter(connection, 'overdue', this.options.queueMs);
    connection.client.waiting.add(connection);
    this.queue.add(connection.client);
    this.schedule();
  }

  private closeAfter(connection: Connection, reason: Reason, ms: number): void {
    clearTimeout(connection.timer);
    const timer = setTimeout(() => {
      this.ends.add(() => {
        if (connection.timer === timer && !connection.isGone) this.reject(connection.socket, reason);
      });
    }, ms);
    connection.timer = timer;
  }

  private schedule(): void {
    if (this.isScheduled || this.queue.size === 0 || this.handshakes >= maxHandshakes) return;
    this.isScheduled = true;
    // One per turn of the event loop, so that other work is interleaved.
    setImmediate(() => {
      this.isScheduled = false;
      // If all waiting clients have reached their limit, the end of a handshake schedules the next turn.
      if (this.beginNext()) this.schedule();
    });
  }

  /** Returns false if no waiting connection may begin. */
  private beginNext(): boolean {
    for (const client of this.queue) {
      if (client.handshakes >= maxHandshakesPerAddress) continue;
      const [connection] = client.waiting;
      this.queue.delete(client);
      if (connection === undefined) continue;
      client.waiting.delete(connection);
      if (client.waiting.size > 0) this.queue.add(client);
      if (connection.socket.readableLength >= mostHandshakeBytes) connection.socket.destroy();
      else this.beginHandshake(connection);
      return true;
    }
    return false;
  }

  private beginHandshake(connection: Connection): void {
    clearTimeout(connection.timer);
    connection.isShaking = true;
    connection.client.handshakes += 1;
    this.handshakes += 1;
    connection.timer = setTimeout(() => {
      connection.reading.noteLate();
      this.endHandshake(connection);
    }, handshakeCountsMs);
    connection.reading.begin();
    const first = connection.socket.readableLength;
    const upper = tlsSocketOf(connection.begin);
    if (upper) connection.reading.readHandshake(upper, first);
  }

  private endHandshake(connection: Connection): void {
    if (!connection.isShaking) return;
    connection.isShaking = false;
    clearTimeout(connection.timer);
    connection.client.handshakes -= 1;
    this.handshakes -= 1;
    this.schedule();
  }
}

function newClient(key: string): Client {
  return { key, open: 0, handshakes: 0, pending: new Set(), waiting: new Set() };
}

function nameOf({ remoteAddress = '', remotePort = 0, localPort = 0 }: Socket): string {
  return `${remoteAddress} ${String(remotePort)} ${String(localPort)}`;
}
