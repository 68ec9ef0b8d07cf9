/** The TLS peer of a connection; read once per connection. */
import type { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import type { PeerIdentity } from '../authn/types.ts';

const nobody: PeerIdentity = { authorized: false, certificates: [] };
const peers = new WeakMap<object, PeerIdentity>();

/** The peer of a TLS or plain socket. */
export function peerOf(socket: object): PeerIdentity {
  return peers.get(socket) ?? notePeer(socket, (presented) => presented);
}

/**
 * Reads the peer of a socket.
 * @param complete receives the certificates of TLS, leaf first, and returns the whole chain
 */
export function notePeer(
  socket: Partial<TLSSocket>,
  complete: (presented: readonly X509Certificate[]) => readonly X509Certificate[],
): PeerIdentity {
  const leaf = socket.getPeerX509Certificate?.();
  const authorized = socket.authorized === true;
  // A chain that TLS did not verify is not trusted, so it need not be complete.
  const peer = leaf
    ? { authorized, certificates: authorized ? complete(chainOf(leaf)) : chainOf(leaf) }
    : nobody;
  peers.set(socket, peer);
  return peer;
}

/** Maximum length of a chain; a self-signed root is its own issuer. */
const maxChain = 10;

function chainOf(leaf: X509Certificate): X509Certificate[] {
  const chain: X509Certificate[] = [];
  let next: X509Certificate | undefined = leaf;
  while (next && chain.length < maxChain && next.fingerprint256 !== chain.at(-1)?.fingerprint256) {
    chain.push(next);
    next = next.issuerCertificate;
  }
  return chain;
}
