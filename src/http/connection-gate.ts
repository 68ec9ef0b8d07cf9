/**
 * What a connection has to pass before a request of it is read. A handshake costs a millisecond of the one thread, and a
 * connection some 40 KB, so both are bounded; but behind a balancer that passes TLS through, all clients have one address,
 * so that an address alone is no reason to refuse anybody.
 *
 *   accepted ──▶ silent ──first bytes──▶ waiting ──its turn──▶ handshake ──▶ pending ──an authenticated request──▶ established
 *                  │                        │ (addresses in turn, one to begin in each turn of the loop)
 *                  └── deadline: closed     └── deadline: closed
 *
 * Silent, waiting and pending connections are those of whom nobody knows yet who they are. Where they are too many, the
 * oldest one of the address that has most of them is closed: who floods displaces himself. An established connection is
 * never closed for another one.
 */
import type { Socket } from 'node:net';
import type { NumberFamily } from '../observe/metric-series.ts';
import { networkOf } from './client-address.ts';

export interface ConnectionLimits {
  /** Open at once; 0: as many as come. */
  readonly max: number;
  /** Open at once of one address; 0: as many as come. */
  readonly maxPerAddress: number;
  /** Open at once without having been used by somebody who is known; absent: the usual number. */
  readonly maxPending?: number;
}

export interface GateOptions extends ConnectionLimits {
  /** Longest time to be silent, and to wait for a turn. */
  readonly handshakeMs: number;
  /** Counts connections that were closed here, by `reason`. */
  readonly rejected: NumberFamily;
}

/** Reasons why a connection is closed here. */
export const rejectionReasons = ['limit', 'address-limit', 'displaced', 'silent', 'overdue'] as const;
type Reason = (typeof rejectionReasons)[number];

const usualPending = 8_192;
/** Handshakes that may be under way at once: their second halves may all come in one turn of the loop. */
const maxHandshakes = 64;
const maxHandshakesPerAddress = 48;
/** A handshake that waits for its client costs no time, and counts no longer after this: so long may unfinished ones delay others. */
const handshakeCountsMs = 50;

interface Connection {
  socket: Socket;
  readonly client: Client;
  /** By which the server knows it, too, whose sockets are others. */
  readonly name: string;
  /** Begins its handshake. */
  readonly begin: () => void;
  timer: NodeJS.Timeout | undefined;
  isShaking: boolean;
  isGone: boolean;
}

/** All connections of one address. */
interface Client {
  readonly address: string;
  open: number;
  handshakes: number;
  /** Not established, in the order in which they came. */
  readonly pending: Set<Connection>;
  /** Of these, those that may have a turn. */
  readonly waiting: Set<Connection>;
}

export class ConnectionGate {
  private readonly options: GateOptions;
  private readonly clients = new Map<string, Client>();
  /** Those with connections that wait; who had a turn goes to the end. */
  private readonly queue = new Set<Client>();
  private readonly connections = new Map<string, Connection>();
  private pending = 0;
  private handshakes = 0;
  private isTurnComing = false;

  constructor(options: GateOptions) {
    this.options = options;
    for (const reason of rejectionReasons) options.rejected.series({ reason }).set(0);
  }

  /** Takes an accepted connection; `begin` begins its handshake. */
  take(socket: Socket, begin: () => void): void {
    // Without a listener an error would end the process; the close that follows is what counts.
    socket.on('error', () => undefined);
    const address = networkOf(socket.remoteAddress);
    const client = this.clients.get(address) ?? newClient(address);
    const reason = this.refusal(client);
    if (reason !== undefined) {
      this.reject(socket, reason);
      return;
    }
    this.clients.set(address, client);
    this.listen(this.add(client, socket, begin));
  }

  /** The handshake is over, well or not; `socket` is what TLS has made of the accepted one. */
  shaken(socket: Socket): void {
    const connection = this.connections.get(nameOf(socket));
    if (!connection) return;
    // What is closed from now on is the upper one: it closes the other, and is not surprised by its end.
    connection.socket = socket;
    this.endHandshake(connection);
  }

  /** Somebody who is known has used the connection of this socket. */
  establish(socket: Socket): void {
    const connection = this.connections.get(nameOf(socket));
    if (connection) this.forgetPending(connection);
  }

  private refusal(client: Client): Reason | undefined {
    const { max, maxPerAddress, maxPending = usualPending } = this.options;
    if (maxPerAddress > 0 && client.open >= maxPerAddress && !this.displaceOf(client)) return 'address-limit';
    if (this.pending >= maxPending) this.displace();
    return max > 0 && this.connections.size >= max && !this.displace() ? 'limit' : undefined;
  }

  /** Closes the oldest connection of the address that has most of those that are not established. False: there is none. */
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
    // Its close comes in a later turn.
    this.remove(oldest);
    return true;
  }

  private reject(socket: Socket, reason: Reason): void {
    this.options.rejected.series({ reason }).add();
    socket.destroy();
  }

  private add(client: Client, socket: Socket, begin: () => void): Connection {
    const name = nameOf(socket);
    const connection = { socket, client, name, begin, timer: undefined, isShaking: false, isGone: false };
    this.connections.set(name, connection);
    client.pending.add(connection);
    client.open += 1;
    this.pending += 1;
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
    this.endHandshake(connection);
    this.forgetPending(connection);
    client.waiting.delete(connection);
    if (client.waiting.size === 0) this.queue.delete(client);
    this.connections.delete(connection.name);
    client.open -= 1;
    if (client.open === 0) this.clients.delete(client.address);
  }

  private forgetPending(connection: Connection): void {
    if (connection.client.pending.delete(connection)) this.pending -= 1;
  }

  /** Silence costs nothing but memory: a handshake is worth a turn when its first bytes are there. */
  private listen(connection: Connection): void {
    const { socket } = connection;
    this.closeAfter(connection, 'silent');
    if (socket.readableLength > 0) this.wait(connection);
    else
      socket.once('readable', () => {
        if (socket.readableLength > 0) this.wait(connection);
        else socket.destroy();
      });
  }

  private wait(connection: Connection): void {
    if (connection.isGone) return;
    this.closeAfter(connection, 'overdue');
    connection.client.waiting.add(connection);
    this.queue.add(connection.client);
    this.comeTurn();
  }

  private closeAfter(connection: Connection, reason: Reason): void {
    clearTimeout(connection.timer);
    connection.timer = setTimeout(() => {
      this.reject(connection.socket, reason);
    }, this.options.handshakeMs);
  }

  private comeTurn(): void {
    if (this.isTurnComing || this.queue.size === 0 || this.handshakes >= maxHandshakes) return;
    this.isTurnComing = true;
    // One in a turn of the loop: whatever else is due comes in between.
    setImmediate(() => {
      this.isTurnComing = false;
      // Where all who wait have as many handshakes as they may, the end of one brings the next turn.
      if (this.beginNext()) this.comeTurn();
    });
  }

  /** False: nobody who waits may begin. */
  private beginNext(): boolean {
    for (const client of this.queue) {
      if (client.handshakes >= maxHandshakesPerAddress) continue;
      const [connection] = client.waiting;
      this.queue.delete(client);
      if (connection === undefined) continue;
      client.waiting.delete(connection);
      if (client.waiting.size > 0) this.queue.add(client);
      this.beginHandshake(connection);
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
      this.endHandshake(connection);
    }, handshakeCountsMs);
    connection.begin();
  }

  private endHandshake(connection: Connection): void {
    if (!connection.isShaking) return;
    connection.isShaking = false;
    clearTimeout(connection.timer);
    connection.client.handshakes -= 1;
    this.handshakes -= 1;
    this.comeTurn();
  }
}

function newClient(address: string): Client {
  return { address, open: 0, handshakes: 0, pending: new Set(), waiting: new Set() };
}

function nameOf({ remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${String(remotePort)}`;
}
