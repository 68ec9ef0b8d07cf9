/** Who is at the other end of a connection, as TLS knows it; read once per connection. */
import type { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import type { PeerIdentity } from '../authn/types.ts';

const nobody: PeerIdentity = { authorized: false, certificates: [] };
const peers = new WeakMap<object, PeerIdentity>();

/** The peer of a socket, whether TLS or not. */
export function peerOf(socket: object): PeerIdentity {
  return peers.get(socket) ?? notePeer(socket, (presented) => presented);
}

/**
 * Reads the peer of a socket.
 * @param complete gets the certificates that TLS knows, leaf first, and gives the whole chain
 */
export function notePeer(
  socket: Partial<TLSSocket>,
  complete: (presented: readonly X509Certificate[]) => readonly X509Certificate[],
): PeerIdentity {
  const leaf = socket.getPeerX509Certificate?.();
  const authorized = socket.authorized === true;
  // Nobody believes a chain that TLS did not verify; it need not be whole.
  const peer = leaf
    ? { authorized, certificates: authorized ? complete(chainOf(leaf)) : chainOf(leaf) }
    : nobody;
  peers.set(socket, peer);
  return peer;
}

/** Longest chain that is followed; a self-signed root names itself as its issuer. */
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
