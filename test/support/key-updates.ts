/** Records of TLS 1.3 that change keys (RFC 8446, section 4.6.3), as many as wanted: Node has no function that sends them. */
import { createCipheriv, createHmac } from 'node:crypto';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect, type ConnectionOptions } from 'node:tls';

export const cipher = {
  suite: 'TLS_AES_128_GCM_SHA256',
  name: 'aes-128-gcm',
  keyBytes: 16,
  ivBytes: 12,
} as const;
/** A handshake message of type 24 with one byte, `update_not_requested`, and the type of the content behind it. */
const message = Buffer.from([24, 0, 0, 1, 0, 22]);
const tagBytes = 16;
const header = Buffer.from([23, 3, 3, 0, message.length + tagBytes]);

/** A connection on which nothing was sent after the handshake, and its key for that. */
export interface Shaken {
  readonly socket: Socket;
  readonly secret: Buffer;
}

export function shakeHands(options: ConnectionOptions & { readonly port: number }): Promise<Shaken> {
  const { promise, resolve, reject } = Promise.withResolvers<Shaken>();
  const socket = connectTcp({ host: '127.0.0.1', port: options.port });
  const above = connect({ ...options, socket, ciphers: cipher.suite, minVersion: 'TLSv1.3' });
  let secret = '';
  above.on('keylog', (line: Buffer) => {
    secret = /^CLIENT_TRAFFIC_SECRET_0 \S+ (\w+)/.exec(line.toString())?.[1] ?? secret;
  });
  above.once('secureConnect', () => {
    // The end of the handshake is written behind this event.
    setImmediate(() => {
      resolve({ socket, secret: Buffer.from(secret, 'hex') });
    });
  });
  above.on('error', reject).resume();
  return promise;
}

/**
 * So many records, each encrypted by the key of the one before.
 * @param sent number of records that were sent with the first key
 */
export function keyUpdates(count: number, first: Buffer, sent = 0): Buffer {
  let secret = first;
  let number = sent;
  const records = Array.from({ length: count }, () => {
    const key = expanded(secret, 'key', cipher.keyBytes);
    const nonce = expanded(secret, 'iv', cipher.ivBytes);
    nonce.writeUInt8(nonce.readUInt8(cipher.ivBytes - 1) ^ number, cipher.ivBytes - 1);
    const encryption = createCipheriv(cipher.name, key, nonce).setAAD(header);
    const content = Buffer.concat([encryption.update(message), encryption.final()]);
    secret = expanded(secret, 'traffic upd', secret.length);
    number = 0;
    return Buffer.concat([header, content, encryption.getAuthTag()]);
  });
  return Buffer.concat(records);
}

/** HKDF-Expand-Label (RFC 8446, section 7.1), for no more than one block. */
function expanded(secret: Buffer, label: string, length: number): Buffer {
  const name = Buffer.from(`tls13 ${label}`);
  const info = Buffer.from([0, length, name.length, ...name, 0, 1]);
  return createHmac('sha256', secret).update(info).digest().subarray(0, length);
}
