/**
 * Digests that stand for secrets in look-ups and comparisons: neither a memory dump nor the time of a comparison
 * reveals the secret.
 */
import { hash, timingSafeEqual } from 'node:crypto';

/** SHA-256 of a text, as bytes. */
export function digestOf(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

/** The same as text, for the keys of maps. */
export function digestText(secret: string): string {
  return hash('sha256', secret, 'base64');
}

/** Whether two secrets are the same; takes the same time wherever they differ. */
export function isSameSecret(a: string, b: string): boolean {
  return timingSafeEqual(digestOf(a), digestOf(b));
}
