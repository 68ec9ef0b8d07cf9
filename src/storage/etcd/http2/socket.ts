/** The TCP or TLS connection below HTTP/2. */
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectSecure, type TLSSocket } from 'node:tls';

import type { EtcdTls } from '../../options.ts';

/** What is heard of a socket. */
export interface SocketListener {
  /** The peer is there, and is known to speak HTTP/2 where TLS tells. */
  onReady(): void;
  onData(chunk: Buffer): void;
  /** The socket is of no use, or never was. May come more than once. */
  onFault(error: Error): void;
}

/** Opens a socket to an `http:` or `https:` address, at their usual ports where it names none, or to the path of a `unix:` one. */
export function openSocket(address: URL, tls: EtcdTls | undefined, listener: SocketListener): Socket {
  const socket = socketTo(address, tls, listener);
  socket.setNoDelay(true);
  socket.on('data', (chunk: Buffer) => {
    listener.onData(chunk);
  });
  socket.on('error', (error) => {
    listener.onFault(error);
  });
  socket.on('close', () => {
    listener.onFault(new Error('it ended the connection'));
  });
  return socket;
}

function socketTo(address: URL, tls: EtcdTls | undefined, listener: SocketListener): Socket {
  if (address.protocol === 'unix:')
    return openPlain({ path: decodeURIComponent(address.pathname) }, listener);
  const host = address.hostname.replaceAll(/[[\]]/g, '');
  const isSecure = address.protocol === 'https:';
  const port = address.port === '' ? (isSecure ? 443 : 80) : Number(address.port);
  const target = { host, port };
  return isSecure ? openSecure(target, tls, listener) : openPlain(target, listener);
}

interface Target {
  readonly host: string;
  readonly port: number;
}

function openPlain(target: Target | { readonly path: string }, listener: SocketListener): Socket {
  return connectPlain(target, () => {
    listener.onReady();
  });
}

function openSecure(target: Target, tls: EtcdTls | undefined, listener: SocketListener): TLSSocket {
  // Node refuses an address as the server's name, and checks the certificate for it all the same.
  const naming = isIP(target.host) === 0 ? { servername: target.host } : {};
  const socket = connectSecure({ ...target, ...naming, ALPNProtocols: ['h2'], ...tls }, () => {
    if (socket.alpnProtocol === 'h2') listener.onReady();
    else listener.onFault(new Error('it does not speak HTTP/2'));
  });
  return socket;
}
