/**
 * Changes of keys (KeyUpdate of TLS 1.3: RFC 8446, section 4.6.3). A peer may send any number of them, of 27 bytes each, and
 * OpenSSL takes 15 µs for one, of which Node says nothing: 20 connections with 64 KB of them held the thread for 0.7 s. But
 * OpenSSL logs each new secret at once (since version 3.5), where there is a listener. So they are counted by that; the secrets
 * are not kept.
 */
import type { TLSSocket } from 'node:tls';

/** A peer changes its keys after hundreds of gigabytes, or never. */
const mostChanges = 100;
const labels = {
  client: Buffer.from('CLIENT_TRAFFIC_SECRET_N '),
  server: Buffer.from('SERVER_TRAFFIC_SECRET_N '),
};

/**
 * Ends a connection whose other side changes its keys again and again.
 * @param peer what the other side is
 * @param note called for each change, while it is read
 */
export function boundKeyChanges(socket: TLSSocket, peer: keyof typeof labels, note?: () => void): void {
  const label = labels[peer];
  let changes = 0;
  socket.on('keylog', (line: Buffer) => {
    if (!line.subarray(0, label.length).equals(label)) return;
    note?.();
    changes += 1;
    if (changes > mostChanges) socket.destroy();
  });
}
