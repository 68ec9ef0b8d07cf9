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

/**
 * Connections that the kernel keeps until they are accepted (it takes less where `net.core.somaxconn` is less), as Go's
 * servers do. Of Node's 511 the others of a thousand clients that come back at once lose their first packet, and try again
 * a second later.
 */
const backlog = 4096;

/** For `listen` of Node. */
export function listenOptions({
  host,
  port,
  sharesPort = false,
  reusesPort = false,
}: ListenPlace): ListenOptions {
  return { host, port, backlog, exclusive: !sharesPort, ...(reusesPort && { reusePort: true }) };
}
