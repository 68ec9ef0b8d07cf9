/** How a server listens. */
import type { ListenOptions } from 'node:net';

export interface ListenPlace {
  readonly host: string;
  readonly port: number;
  /** In a worker of node:cluster, connections are distributed round-robin; otherwise the process listens itself. */
  readonly sharesPort?: boolean;
  /** Other threads listen at the same port, too (SO_REUSEPORT). */
  readonly reusesPort?: boolean;
}

/** For `listen` of Node. */
export function listenOptions({
  host,
  port,
  sharesPort = false,
  reusesPort = false,
}: ListenPlace): ListenOptions {
  return { host, port, exclusive: !sharesPort, ...(reusesPort && { reusePort: true }) };
}
