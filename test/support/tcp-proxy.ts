/**
 * A TCP proxy with failures, to stand between a replica and etcd or between a client and a replica.
 *
 *            accept                       hold(d): bytes in direction d wait, nothing is closed
 *   serving ────────► links ──► flowing ◄────────────────────────────────────────► held
 *      ▲ │                                release(d)
 *      │ └─ refuse ─► refusing (links broken, new ones broken at once)
 *      └─── accept ──────┘
 */
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Where bytes go: from the client that connected, or to it. */
export type Direction = 'toServer' | 'toClient';

interface Link {
  readonly client: Socket;
  readonly server: Socket;
}

const both: readonly Direction[] = ['toServer', 'toClient'];

export class TcpProxy implements AsyncDisposable {
  /** Bytes passed on so far. */
  readonly bytes: Record<Direction, number> = { toServer: 0, toClient: 0 };
  readonly #server: Server;
  #target: URL;
  readonly #links = new Set<Link>();
  readonly #held = new Set<Direction>();
  readonly #rates: Partial<Record<Direction, number>> = {};
  #delayMs = 0;
  #isRefusing = false;
  readonly #counts: { readonly direction: Direction; readonly about: string; chunks: number }[] = [];
  #onNext: ((direction: Direction, link: Link, chunk: Buffer) => 'pass' | 'drop') | undefined;

  private constructor(target: string) {
    this.#target = new URL(target);
    this.#server = createServer((client) => this.#accept(client));
  }

  /** Listens on a free port of loopback and passes everything on to `target`, a URL with host and port. */
  static async start(target: string): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** The target's URL with this proxy's host and port. */
  get endpoint(): string {
    return `${this.#target.protocol}//127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Connections that are open now. */
  get connections(): number {
    return this.#links.size;
  }

  /** Closes all connections; new ones are accepted. */
  cut(): void {
    this.#endAll((socket) => socket.destroy());
  }

  /** Resets all connections (RST, as a crashed host would); new ones are accepted. */
  reset(): void {
    this.#endAll((socket) => socket.resetAndDestroy());
  }

  /** Breaks all connections, and new ones at once until `accept`. */
  refuse(): void {
    this.#isRefusing = true;
    this.cut();
  }

  /** Closes all connections; new ones go to another server. */
  redirect(target: string): void {
    this.#target = new URL(target);
    this.cut();
  }

  accept(): void {
    this.#isRefusing = false;
  }

  /** Holds back both directions of all connections, also those to come, until `resume`. */
  suspend(): void {
    for (const direction of both) this.#pause(direction, true);
  }

  /** Ends every `suspend` and `hold`; what was held back is passed on. */
  resume(): void {
    for (const direction of both) this.release(direction);
  }

  /** Holds back one direction of the connections that are open now; later ones flow. */
  hold(direction: Direction): void {
    this.#pause(direction, false);
  }

  /** Holds back one direction of all connections, also those to come, until `release`: a cable half cut. */
  silence(direction: Direction): void {
    this.#pause(direction, true);
  }

  /** The same for one connection, the `index`-th of those open now. */
  holdOne(direction: Direction, index: number): void {
    const link = [...this.#links][index];
    if (link !== undefined) sourceOf(link, direction).pause();
  }

  /**
   * Holds back the one connection over which the next bytes come in a direction, or the next that hold this text; those
   * still pass. Resolves when that has happened.
   */
  holdNext(direction: Direction, about = ''): Promise<void> {
    return new Promise((resolve) => {
      this.#onNext = (seen, link, chunk) => {
        if (seen !== direction || !chunk.includes(about)) return 'pass';
        this.#onNext = undefined;
        sourceOf(link, direction).pause();
        resolve();
        return 'pass';
      };
    });
  }

  /** Counts from now on the chunks in a direction that hold this text. */
  count(direction: Direction, about: string): { readonly chunks: number } {
    const count = { direction, about, chunks: 0 };
    this.#counts.push(count);
    return count;
  }

  release(direction: Direction): void {
    this.#held.delete(direction);
    for (const link of this.#links) sourceOf(link, direction).resume();
  }

  /** From now on all bytes arrive this much later, in order. */
  delay(milliseconds: number): void {
    this.#delayMs = milliseconds;
  }

  /** From now on no more bytes a second pass in a direction of each connection. Not together with holding it back. */
  throttle(direction: Direction, bytesPerSecond: number): void {
    this.#rates[direction] = bytesPerSecond;
  }

  /** Drops the next bytes in a direction and breaks all connections. Resolves when that has happened. */
  loseNext(direction: Direction): Promise<void> {
    return new Promise((resolve) => {
      this.#onNext = (seen) => {
        if (seen !== direction) return 'pass';
        this.#onNext = undefined;
        this.cut();
        resolve();
        return 'drop';
      };
    });
  }

  async close(): Promise<void> {
    this.refuse();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #accept(client: Socket): void {
    if (this.#isRefusing) {
      client.destroy();
      return;
    }
    const server = connect({ host: this.#target.hostname, port: Number(this.#target.port), noDelay: true });
    client.setNoDelay(true);
    const link = { client, server };
    this.#links.add(link);
    for (const direction of both) this.#join(link, direction);
  }

  #join(link: Link, direction: Direction): void {
    const source = sourceOf(link, direction);
    source.on('data', (chunk: Buffer) => this.#pass(link, direction, chunk));
    if (this.#held.has(direction)) source.pause();
    const end = (): void => {
      this.#links.delete(link);
      link.client.destroy();
      link.server.destroy();
    };
    source.on('error', end);
    source.on('close', end);
  }

  #pass(link: Link, direction: Direction, chunk: Buffer): void {
    if (this.#onNext?.(direction, link, chunk) === 'drop') return;
    const sink = direction === 'toServer' ? link.server : link.client;
    const write = (): void => {
      if (sink.destroyed) return;
      this.bytes[direction] += chunk.length;
      sink.write(chunk);
      for (const count of this.#counts)
        if (count.direction === direction && chunk.includes(count.about)) count.chunks += 1;
    };
    const rate = this.#rates[direction];
    if (rate !== undefined) this.#passSlowly(sourceOf(link, direction), write, (chunk.length / rate) * 1000);
    else if (this.#delayMs === 0) write();
    else setTimeout(write, this.#delayMs);
  }

  #passSlowly(source: Socket, write: () => void, ms: number): void {
    source.pause();
    setTimeout(() => {
      write();
      source.resume();
    }, ms);
  }

  #pause(direction: Direction, alsoLater: boolean): void {
    if (alsoLater) this.#held.add(direction);
    for (const link of this.#links) sourceOf(link, direction).pause();
  }

  #endAll(end: (socket: Socket) => void): void {
    for (const { client, server } of this.#links) {
      end(client);
      end(server);
    }
    this.#links.clear();
  }
}

function sourceOf(link: Link, direction: Direction): Socket {
  return direction === 'toServer' ? link.client : link.server;
}
