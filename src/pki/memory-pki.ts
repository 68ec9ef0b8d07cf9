/** A PKI that is never in a file: for a service that lives as long as its process. */
import { makeAuthority, makeCertificate } from './issue.ts';
import { localHosts, pkiPlan, type AuthorityPlan } from './plan.ts';
import { newTokenKey } from './token-key.ts';
import type { PemPair } from './types.ts';

/** The time of its service may be moved by decades; who checks the one of the server has the time of the machine. */
const longDays = 36_500;

/** What a service and its administrator need; PEM. */
export interface MemoryPki {
  readonly ca: PemPair;
  readonly server: PemPair;
  readonly admin: PemPair;
  readonly tokenKey: string;
}

/**
 * Makes the pairs as `plan.ts` describes them.
 * @param now milliseconds since 1970
 */
export async function makeMemoryPki(now: number): Promise<MemoryPki> {
  const plan = authorityPlan();
  const ca = makeAuthority(plan.commonName, now, longDays);
  return {
    ca,
    server: makeServerCertificate(ca, [], now),
    admin: makeCertificate(ca, { ...certificatePlan(plan, 'admin'), hosts: [] }, now, longDays),
    tokenKey: await newTokenKey(),
  };
}

/** A server's certificate. @param hosts names and addresses beside those of loopback */
export function makeServerCertificate(ca: PemPair, hosts: readonly string[], now: number): PemPair {
  const about = certificatePlan(authorityPlan(), 'server');
  return makeCertificate(ca, { ...about, hosts: [...new Set([...localHosts, ...hosts])] }, now);
}

function authorityPlan(): AuthorityPlan {
  const plan = pkiPlan.find(({ name }) => name === 'ca');
  if (plan === undefined) throw new Error('the plan of the PKI has no authority of the API');
  return plan;
}

function certificatePlan(
  { certificates }: AuthorityPlan,
  name: string,
): AuthorityPlan['certificates'][number] {
  const plan = certificates.find((certificate) => certificate.name === name);
  if (plan === undefined) throw new Error(`the plan of the PKI has no certificate ${name}`);
  return plan;
}
