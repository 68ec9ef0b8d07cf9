/** Keys and certificates of all control planes of this thread. */
import { makeMemoryPki, makeServerCertificate, type MemoryPki } from '../../pki/memory-pki.ts';

let made: Promise<MemoryPki> | undefined;

/** @param hosts names and addresses beside those of loopback, for which the certificate of the server is to be valid */
export async function authorities(hosts: readonly string[] = []): Promise<MemoryPki> {
  made ??= makeMemoryPki(Date.now());
  const pki = await made;
  if (hosts.length === 0) return pki;
  return { ...pki, server: makeServerCertificate(pki.ca, hosts, Date.now()) };
}
