/**
 * A second port of an HTTPS server: the same certificate, API and authorization. It is for the health checks of a load
 * balancer that passes TLS through. There clients and checks have one address, so at the first port a check would wait
 * for its handshake behind those of all clients, and a healthy replica would count as down whenever many connect at
 * once. The connection gate takes the two ports in turn.
 */
import { createServer, type Server as TcpServer, type Socket } from 'node:net';
import type { Server } from 'node:https';
import { listenOptions, type ListenPlace } from './listen-options.ts';

export interface HealthCheckListenerOptions extends ListenPlace {
  /** Idle time of a connection before TCP keepalive probes. */
  readonly probeMs: number;
}

/**
 * Listens at `port` and gives what it accepts to `server`. Who closes `server` closes the returned one as well.
 * Rejects if the address cannot be used.
 */
export function listenForHealthChecks(
  server: Server,
  { probeMs, ...place }: HealthCheckListenerOptions,
): Promise<TcpServer> {
  const options = { noDelay: true, keepAlive: true, keepAliveInitialDelay: probeMs };
  const listener = createServer(options, (socket: Socket) => {
    server.emit('connection', socket);
  });
  return new Promise((resolve, reject) => {
    listener.once('error', reject);
    listener.listen(listenOptions(place), () => {
      listener.off('error', reject);
      resolve(listener);
    });
  });
}
