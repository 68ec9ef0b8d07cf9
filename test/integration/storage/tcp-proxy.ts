/** A TCP proxy with faults: cut, deaf in one direction, answers or requests that get lost. */
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

interface Link {
  readonly client: Socket;
  readonly server: Socket;
}

/** toServer and toClient: bytes in that direction are held back, connections stay open. */
export type Direction = 'toServer' | 'toClient';

export class TcpProxy {
  readonly #server: Server;
  readonly #target: URL;
  readonly #links = new Set<Link>();
  #isRefusing = false;
  #onNext: ((direction: Direction) => 'pass' | 'drop') | undefined;

  private constructor(target: string) {
    this.#target = new URL(target);
    this.#server = createServer((client) => this.#accept(client));
  }

  static async start(target: string): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${String((this.#server.address() as AddressInfo).port)}`;
  }

  get connections(): number {
    return this.#links.size;
  }

  /** Breaks all connections; new ones are accepted. */
  cut(): void {
    for (const { client, server } of this.#links) {
      client.destroy();
      server.destroy();
    }
    this.#links.clear();
  }

  /** New connections are broken at once until `accept`. */
  refuse(): void {
    this.#isRefusing = true;
    this.cut();
  }

  accept(): void {
    this.#isRefusing = false;
  }

  /** Holds back one direction of the connections that are open now, without closing anything. */
  hold(direction: Direction): void {
    for (const link of this.#links) sourceOf(link, direction).pause();
  }

  /** The same for the connection that was opened `index`-th among those open now. */
  holdOne(direction: Direction, index: number): void {
    const link = [...this.#links][index];
    if (link !== undefined) sourceOf(link, direction).pause();
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
    this.#isRefusing = true;
    this.cut();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #accept(client: Socket): void {
    if (this.#isRefusing) {
      client.destroy();
      return;
    }
    const server = connect({ host: this.#target.hostname, port: Number(this.#target.port) });
    const link = { client, server };
    this.#links.add(link);
    this.#join(link, 'toServer');
    this.#join(link, 'toClient');
  }

  #join(link: Link, direction: Direction): void {
    const source = sourceOf(link, direction);
    const sink = direction === 'toServer' ? link.server : link.client;
    source.on('data', (chunk: Buffer) => {
      if (this.#onNext?.(direction) === 'drop') return;
      if (!sink.destroyed) sink.write(chunk);
    });
    const end = (): void => {
      this.#links.delete(link);
      source.destroy();
      sink.destroy();
    };
    source.on('error', end);
    source.on('close', end);
  }
}

function sourceOf(link: Link, direction: Direction): Socket {
  return direction === 'toServer' ? link.client : link.server;
}
