/** The transports by name. */
import type { TransportName } from '../options.ts';
import { Http2Connection } from './http2/connection.ts';
import { NodeTransport } from './node-http2/session.ts';
import type { ConnectTransport } from './transport.ts';

const connectors: Readonly<Record<TransportName, ConnectTransport>> = {
  builtin: (address, options, timeoutMs) => Http2Connection.connect(address, options, timeoutMs),
  node: (address, options, timeoutMs) => NodeTransport.connect(address, options, timeoutMs),
};

export function connectorOf(name: TransportName = 'builtin'): ConnectTransport {
  return connectors[name];
}
