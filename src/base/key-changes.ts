/**
 * Changes of keys (KeyUpdate of TLS 1.3: RFC 8446, section 4.6.3). A client may send any number of them, of 27 bytes each, and
 * OpenSSL takes 15 µs for one, of which Node says nothing: 20 connections with 64 KB of them held the thread for 0.7 s. But
 * OpenSSL logs each new secret at once (since version 3.5), where there is a listener. So they are counted by that; the secrets
 * are not kept.
 */
import type { TLSSocket } from 'node:tls';

/** A client changes its keys after hundreds of gigabytes, or never. */
const mostChanges = 100;
const label = Buffer.from('CLIENT_TRAFFIC_SECRET_N ');

/**
 * Ends a connection whose client changes its keys again and again.
 * @param note called for each change, while it is read
 */
export function boundKeyChanges(socket: TLSSocket, note: () => void): void {
  let changes = 0;
  socket.on('keylog', (line: Buffer) => {
    if (!line.subarray(0, label.length).equals(label)) return;
    note();
    changes += 1;
    if (changes > mostChanges) socket.destroy();
  });
}
