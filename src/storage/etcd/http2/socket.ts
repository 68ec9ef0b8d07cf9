/** The TCP or TLS connection below HTTP/2. */
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectSecure, TLSSocket } from 'node:tls';

import { boundHandshake, oneHandshake } from '../../../base/handshake-bytes.ts';
import { byName } from '../../../base/host-names.ts';
import type { EtcdTls } from '../../options.ts';
import { paceReading } from './paced-reading.ts';

/** Opens a socket to an `http:` or `https:` URL (with default ports), or to the path of a `unix:` URL. */
export function socketTo(address: URL, tls: EtcdTls | undefined): Socket {
  if (address.protocol === 'unix:') return connectPlain({ path: decodeURIComponent(address.pathname) });
  const host = address.hostname.replaceAll(/[[\]]/g, '');
  const isSecure = address.protocol === 'https:';
  const port = address.port === '' ? (isSecure ? 443 : 80) : Number(address.port);
  return isSecure ? openSecure({ host, port }, tls) : connectPlain({ ...byName, host, port });
}

interface Target {
  readonly host: string;
  readonly port: number;
}

function openSecure(target: Target, tls: EtcdTls | undefined): TLSSocket {
  // Node rejects an IP address as servername, but verifies the certificate against it anyway.
  const naming = isIP(target.host) === 0 ? { servername: target.host } : {};
  const socket = connectSecure({
    ...byName,
    ...target,
    ...naming,
    ALPNProtocols: ['h2'],
    ...oneHandshake,
    ...tls,
  });
  boundHandshake(socket);
  return socket;
}

/** Listener of a socket. */
export interface SocketListener {
  /** Connected; with TLS, HTTP/2 is negotiated. */
  onReady(): void;
  onData(chunk: Buffer): void;
  /** The socket failed. May be called more than once. */
  onError(error: Error): void;
}

/** Opens a socket and installs the listener. */
export function openSocket(address: URL, tls: EtcdTls | undefined, listener: SocketListener): Socket {
  const socket = socketTo(address, tls);
  socket.setNoDelay(true);
  socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', () => {
    if (speaksHttp2(socket)) listener.onReady();
    else listener.onError(new Error('it does not speak HTTP/2'));
  });
  paceReading(socket, (chunk) => {
    listener.onData(chunk);
  });
  socket.on('error', (error) => {
    listener.onError(error);
  });
  socket.on('close', () => {
    listener.onError(new Error('it ended the connection'));
  });
  return socket;
}

/** TLS negotiates HTTP/2 by ALPN; without TLS it shows in the received data. */
export function speaksHttp2(socket: Socket): boolean {
  return !(socket instanceof TLSSocket) || socket.alpnProtocol === 'h2';
}
