/** The key of limits by client address. */
import { isIPv4 } from 'node:net';

const mapped = '::ffff:';

/** An IPv4 address unchanged; the /64 network of an IPv6 address, as a client controls all addresses in it. */
export function networkOf(address = ''): string {
  const plain = address.startsWith(mapped) ? address.slice(mapped.length) : address;
  if (isIPv4(plain)) return plain;
  return groupsOf(address.replace(/%.*$/, '')).slice(0, 4).join(':');
}

function groupsOf(address: string): string[] {
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  if (tail === undefined) return before;
  const after = tail === '' ? [] : tail.split(':');
  const zeros = Math.max(0, 8 - before.length - after.length);
  return [...before, ...Array.from({ length: zeros }, () => '0'), ...after];
}
