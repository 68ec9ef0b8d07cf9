/**
 * The authorities of a PKI folder. One that exists is never replaced by another on its own: a wrong clock alone would
 * then lock out all clients that have its certificate. It is renewed with its key and name, and its validity only
 * widens: clients trust what it signs by either certificate, and a clock that is set right finds it
 * valid.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { StartError } from '../base/start-error.ts';
import { makeAuthority, renewAuthority } from './issue.ts';
import { readPair, writePair, writeWhole } from './pair-files.ts';
import type { AuthorityPlan } from './plan.ts';
import type { PemPair, PkiWork } from './types.ts';
import { expiresSoon, isValidAt, validityFlaw } from './validity.ts';

/**
 * The authority of the folder, made if it is missing, renewed if it expires soon or is not yet valid.
 * @throws StartError `KEY_MISMATCH`; `CERTIFICATE_INVALID` if it is not valid and cannot be renewed
 */
export async function ensureAuthority(work: PkiWork, { name, commonName }: AuthorityPlan): Promise<PemPair> {
  const found = await readPair(work.folder, name);
  if (found === undefined) return create(work, name, commonName);
  refuseOtherKey(work.folder, name, found);
  const flaw = validityFlaw(new X509Certificate(found.certificate), work.now);
  if (flaw !== undefined && isOwn(found)) return renew(work, { name, why: flaw, found });
  noteValidity(work, name, found);
  work.kept.push(name);
  return found;
}

/**
 * The authority of the folder as it is.
 * @throws StartError `KEY_MISMATCH`; `CERTIFICATE_INVALID` if it is missing or not valid
 */
export async function readAuthority(work: PkiWork, { name }: AuthorityPlan): Promise<PemPair> {
  const found = await readPair(work.folder, name);
  if (found === undefined) throw missing(work.folder, name);
  refuseOtherKey(work.folder, name, found);
  noteValidity(work, name, found);
  return found;
}

async function create(work: PkiWork, name: string, commonName: string): Promise<PemPair> {
  const authority = makeAuthority(commonName, work.now);
  await writePair(work.folder, name, authority);
  work.made.push(name);
  return authority;
}

interface Renewal {
  readonly name: string;
  readonly why: string;
  readonly found: PemPair;
}

async function renew(work: PkiWork, { name, why, found }: Renewal): Promise<PemPair> {
  const authority = renewAuthority(found, work.now);
  await writeWhole(join(work.folder, `${name}.crt`), authority.certificate, 0o644);
  work.made.push(name);
  work.renewed.push({ name, why });
  return authority;
}

/** Self-signed with a key as this service makes them. */
function isOwn({ certificate, key }: PemPair): boolean {
  if (key === '') return false;
  const { asymmetricKeyDetails } = createPrivateKey(key);
  const authority = new X509Certificate(certificate);
  return asymmetricKeyDetails?.namedCurve === 'prime256v1' && authority.verify(authority.publicKey);
}

function noteValidity(work: PkiWork, name: string, { certificate }: PemPair): void {
  const authority = new X509Certificate(certificate);
  if (!isValidAt(authority, work.now)) throw notValid(work, name, authority);
  if (expiresSoon(authority, work.now)) work.expiring.push(name);
}

/** Certificates signed by another key would not be trusted by clients with the CA certificate. */
function refuseOtherKey(folder: string, name: string, { certificate, key }: PemPair): void {
  if (key === '' || new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))) return;
  throw StartError.of(
    'KEY_MISMATCH',
    `${join(folder, name)}.key does not belong to ${name}.crt`,
    'restore the key, or delete both to create a new CA',
  );
}

function notValid({ folder, now }: PkiWork, name: string, authority: X509Certificate): StartError {
  const path = join(folder, name);
  const flaw = validityFlaw(authority, now)?.replace(/^it/, `${path}.crt`) ?? '';
  return StartError.of(
    'CERTIFICATE_INVALID',
    `${flaw}, by the clock it is ${new Date(now).toISOString()}`,
    `set the clock right; if it is right, restore ${path}.key and start again, which renews it, or delete ` +
      `${path}.crt for another authority, whose certificate clients then need`,
  );
}

function missing(folder: string, name: string): StartError {
  return StartError.of(
    'CERTIFICATE_INVALID',
    `${join(folder, name)}.crt is missing`,
    'restore it with its key; without it, the next start makes another authority, which no client trusts yet',
  );
}
