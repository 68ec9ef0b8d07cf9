/** Listens, with start errors that name a remedy. */
import { codeOf } from '../base/errors.ts';
import {
  createHttpServer,
  type ConnectionBounds,
  type Handler,
  type HttpServer,
  type ServerTls,
} from '../http/server.ts';
import type { TlsPolicy } from '../http/tls-policy.ts';
import type { Logger } from '../observe/log.ts';
import type { ServerConfig } from '../options/server-config.ts';
import { reasonOf, StartError } from '../base/start-error.ts';

interface ListenParts {
  readonly tls: ServerTls;
  readonly handler: Handler;
  readonly logger: Logger;
  /** Absent for the defaults. */
  readonly tlsPolicy?: TlsPolicy;
  /** The port is shared with other workers. */
  readonly sharesPort?: boolean;
  /** Other threads listen there, too. */
  readonly reusesPort?: boolean;
  /** Absent if there is no limit. */
  readonly connections?: ConnectionBounds;
  /** Maximum number of open streams of an HTTP/2 connection; absent for the default. */
  readonly maxStreams?: number;
}

type Addresses = Pick<ServerConfig, 'bindAddress' | 'securePort'> &
  Partial<Pick<ServerConfig, 'healthCheckPort'>>;

/** @throws StartError when the address cannot be used */
export async function listen(config: Addresses, parts: ListenParts): Promise<HttpServer> {
  const { bindAddress: host, securePort: port, healthCheckPort = 0 } = config;
  try {
    return await createHttpServer({ ...parts, host, port, healthCheckPort });
  } catch (error) {
    throw listenError(config, error);
  }
}

/** The error of an address that cannot be used. */
export function listenError(
  { bindAddress: host, securePort, healthCheckPort = 0 }: Addresses,
  error: unknown,
): unknown {
  const code = codeOf(error);
  const isSecond =
    healthCheckPort > 0 && error instanceof Error && 'port' in error && error.port === healthCheckPort;
  const [port, flag] = isSecond ? [healthCheckPort, '--health-check-port'] : [securePort, '--secure-port'];
  if (code === 'EADDRINUSE') {
    const cause = `port ${String(port)} of ${host} is in use`;
    return StartError.of(
      'PORT_IN_USE',
      cause,
      `stop the program that listens there, or use another ${flag}`,
      error,
    );
  }
  if (!['EACCES', 'EPERM', 'EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL'].includes(code)) return error;
  const why = code === 'EADDRNOTAVAIL' ? 'the address does not belong to this machine' : reasonOf(error);
  const cause = `cannot listen on port ${String(port)} of ${host} (${why})`;
  return StartError.of('ADDRESS_UNAVAILABLE', cause, `correct --bind-address or ${flag}`, error);
}
