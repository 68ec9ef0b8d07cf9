/** What the server agrees to in a TLS handshake. */
import { oneHandshake } from '../base/handshake-bytes.ts';

export interface TlsPolicy {
  readonly minVersion: 'TLSv1.2' | 'TLSv1.3';
  /** Suites of TLS 1.2 in the names of OpenSSL; absent for those with forward secrecy and authenticated encryption. */
  readonly suites?: readonly string[];
}

/** All of TLS 1.3 have forward secrecy and authenticated encryption. */
const suitesOfTls13 = ['TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256', 'TLS_AES_128_GCM_SHA256'];

const usualSuites = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
];

/** The policy without flags. */
export const usualTlsPolicy: TlsPolicy = { minVersion: 'TLSv1.2' };

/** Options of a secure context of Node. */
export function policyOptions({ minVersion, suites = usualSuites }: TlsPolicy): {
  readonly minVersion: TlsPolicy['minVersion'];
  readonly ciphers: string;
  readonly honorCipherOrder: true;
  readonly secureOptions: number;
} {
  const ciphers = [...suitesOfTls13, ...suites].join(':');
  return { minVersion, ciphers, honorCipherOrder: true, ...oneHandshake };
}
