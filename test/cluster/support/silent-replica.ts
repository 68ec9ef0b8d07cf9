/** Stands for a replica behind a balancer: it holds connections, and answers checks as late as it is told. */
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https';
import type { ServerResponse } from 'node:http';

import type { Credential } from '../../support/pki.ts';

export class SilentReplica implements AsyncDisposable {
  /** Milliseconds that a check waits for its answer; Infinity: none comes. */
  checkMs = 0;
  /** How many checks got their answer. */
  answered = 0;
  /** Of clients, that are open. */
  readonly connections = new Set<Socket>();
  readonly #servers: readonly [Server, HttpsServer];

  private constructor({ cert, key }: Credential) {
    const service = createTcpServer((socket) => this.#hold(socket));
    const health = createHttpsServer({ cert, key }, (_request, answer) => this.#check(answer));
    this.#servers = [service, health];
  }

  static async start(credential: Credential): Promise<SilentReplica> {
    const replica = new SilentReplica(credential);
    for (const server of replica.#servers)
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return replica;
  }

  get port(): number {
    return portOf(this.#servers[0]);
  }

  get healthCheckPort(): number {
    return portOf(this.#servers[1]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const [service, health] = this.#servers;
    for (const socket of this.connections) socket.destroy();
    health.closeAllConnections();
    for (const server of [service, health]) await new Promise((resolve) => server.close(resolve));
  }

  #hold(socket: Socket): void {
    this.connections.add(socket);
    socket
      .on('error', () => undefined)
      .on('close', () => this.connections.delete(socket))
      .resume();
  }

  #check(answer: ServerResponse): void {
    if (this.checkMs === Infinity) return;
    setTimeout(() => {
      this.answered += 1;
      answer.writeHead(200).end('ok');
    }, this.checkMs);
  }
}

function portOf(server: Server | HttpsServer): number {
  return (server.address() as AddressInfo).port;
}
