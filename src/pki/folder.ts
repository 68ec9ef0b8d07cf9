/**
 * Maintains a PKI folder: valid files are kept; those that are missing, expire soon, have another CA or subject, or
 * lack a host are created. Keys have mode 0600.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { isIP, isIPv6 } from 'node:net';
import { join } from 'node:path';
import { codeOf } from '../base/errors.ts';
import { reasonIn, reasonOf, StartError } from '../base/start-error.ts';
import { makeFolder } from '../base/make-folder.ts';
import { readRegularFile } from '../base/regular-file.ts';
import { localHosts, pkiPlan, tokenKeyName, type AuthorityPlan } from './plan.ts';
import { ensureTokenKey } from './token-key.ts';
import type { CertificateRequest, PemPair } from './types.ts';

const renewMs = 30 * 86_400_000;

export interface PkiOptions {
  readonly folder: string;
  /** Additional DNS names and addresses of servers. */
  readonly hosts: readonly string[];
  readonly now?: number;
}

export interface PkiResult {
  /** Names of created pairs, such as `server`. */
  readonly made: readonly string[];
  readonly kept: readonly string[];
}

export interface RenewalResult extends PkiResult {
  /** Names of authorities that expire soon. */
  readonly expiring: readonly string[];
}

/**
 * Creates missing files.
 * @throws StartError if a file cannot be read, parsed or written, or a CA key is missing
 */
export async function ensurePki(options: PkiOptions): Promise<PkiResult> {
  return within(options, async (work) => {
    await makeFolder(options.folder);
    for (const plan of pkiPlan) await ensureCertificates(work, plan, await ensureAuthority(work, plan));
    const isNew = await ensureTokenKey(options.folder);
    (isNew ? work.made : work.kept).push(tokenKeyName);
  });
}

/**
 * Renews certificates that expire soon, while they are in use. Authorities and the key of tokens stay: what trusts them
 * would not trust others.
 * @throws StartError if a file cannot be read, parsed or written, or an authority is missing
 */
export async function renewCertificates(options: PkiOptions): Promise<RenewalResult> {
  return within(options, async (work) => {
    for (const plan of pkiPlan) {
      const authority = await readAuthority(work, plan);
      if (authority === undefined) throw missingAuthority(work.folder, plan.name);
      if (expiresSoon(new X509Certificate(authority.certificate), work.now)) work.expiring.push(plan.name);
      await ensureCertificates(work, plan, authority);
    }
  });
}

async function within(options: PkiOptions, run: (work: Work) => Promise<void>): Promise<Work> {
  const work: Work = {
    folder: options.folder,
    hosts: [...new Set([...localHosts, ...options.hosts])],
    now: options.now ?? Date.now(),
    ...{ made: [], kept: [], expiring: [] },
  };
  try {
    await run(work);
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw folderError(options.folder, error);
  }
  return work;
}

interface Work extends RenewalResult {
  readonly folder: string;
  readonly hosts: readonly string[];
  readonly now: number;
  readonly made: string[];
  readonly kept: string[];
  readonly expiring: string[];
}

async function readAuthority(work: Work, { name }: AuthorityPlan): Promise<PemPair | undefined> {
  const authority = await readPair(work.folder, name);
  if (authority !== undefined) refuseOtherKey(work.folder, name, authority);
  return authority;
}

async function ensureAuthority(work: Work, plan: AuthorityPlan): Promise<PemPair> {
  const found = await readAuthority(work, plan);
  if (found !== undefined && !expiresSoon(new X509Certificate(found.certificate), work.now)) {
    work.kept.push(plan.name);
    return found;
  }
  const { makeAuthority } = await import('./issue.ts');
  const authority = await makeAuthority(plan.commonName, work.now);
  await writePair(work.folder, plan.name, authority);
  work.made.push(plan.name);
  return authority;
}

async function ensureCertificates(work: Work, plan: AuthorityPlan, authority: PemPair): Promise<void> {
  for (const { name, ...about } of plan.certificates) {
    const hosts = about.usages.includes('server') ? work.hosts : [];
    await ensureCertificate(work, {
      authority,
      authorityName: plan.name,
      name,
      request: { ...about, hosts },
    });
  }
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

interface Wanted {
  readonly authority: PemPair;
  readonly authorityName: string;
  readonly name: string;
  readonly request: CertificateRequest;
}

async function ensureCertificate(work: Work, wanted: Wanted): Promise<void> {
  const found = await readPair(work.folder, wanted.name);
  if (found !== undefined && found.key !== '' && isGood(found, wanted, work.now)) {
    work.kept.push(wanted.name);
    return;
  }
  if (wanted.authority.key === '') throw missingKey(work.folder, wanted);
  const { makeCertificate } = await import('./issue.ts');
  const hosts = [...new Set([...wanted.request.hosts, ...formerHosts(found, wanted)])];
  const pair = await makeCertificate(wanted.authority, { ...wanted.request, hosts }, work.now);
  await writePair(work.folder, wanted.name, pair);
  work.made.push(wanted.name);
}

function isGood(found: PemPair, wanted: Wanted, now: number): boolean {
  const certificate = new X509Certificate(found.certificate);
  const issuer = new X509Certificate(wanted.authority.certificate);
  return (
    !expiresSoon(certificate, now) &&
    isYetValid(certificate, now) &&
    certificate.checkIssued(issuer) &&
    certificate.verify(issuer.publicKey) &&
    certificate.checkPrivateKey(createPrivateKey(found.key)) &&
    certificate.subject === subjectOf(wanted.request) &&
    wanted.request.hosts.every((host) => answersTo(certificate, host))
  );
}

/** Hosts of a server's certificate that is renewed: clients that know them go on. */
function formerHosts(found: PemPair | undefined, { request, authority }: Wanted): readonly string[] {
  if (found === undefined || !request.usages.includes('server')) return [];
  const certificate = new X509Certificate(found.certificate);
  if (!certificate.verify(new X509Certificate(authority.certificate).publicKey)) return [];
  return (certificate.subjectAltName ?? '')
    .split(', ')
    .map((name) => /^(?:DNS|IP Address):([^"]+)$/.exec(name)?.[1])
    .filter((host) => host !== undefined)
    .filter((host) => !request.hosts.some((known) => sameAddress(known, host)));
}

/** Node writes addresses of version 6 in full. */
function sameAddress(one: string, other: string): boolean {
  return isIPv6(one) && isIPv6(other) && hostnameOf(one) === hostnameOf(other);
}

function hostnameOf(address: string): string {
  return new URL(`https://[${address}]`).hostname;
}

/** A subject in the format of Node, with an attribute per line. */
function subjectOf({ organizations, commonName }: CertificateRequest): string {
  return [...organizations.map((name) => `O=${name}`), `CN=${commonName}`].join('\n');
}

function answersTo(certificate: X509Certificate, host: string): boolean {
  return (isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host)) !== undefined;
}

function expiresSoon(certificate: X509Certificate, now: number): boolean {
  return certificate.validToDate.getTime() - now < renewMs;
}

/** Not so after a clock that ran ahead was set right. */
function isYetValid(certificate: X509Certificate, now: number): boolean {
  return certificate.validFromDate.getTime() <= now;
}

/** The pair in the folder; its key is '' if only the certificate exists; undefined without a certificate. */
async function readPair(folder: string, name: string): Promise<PemPair | undefined> {
  const certificate = await readIfThere(join(folder, `${name}.crt`));
  const key = await readIfThere(join(folder, `${name}.key`));
  if (certificate === undefined) return undefined;
  try {
    new X509Certificate(certificate);
    if (key !== undefined) createPrivateKey(key);
  } catch (error) {
    throw StartError.of(
      'CERTIFICATE_INVALID',
      `${join(folder, name)}.crt and .key are not a valid pair (${reasonOf(error)})`,
      'delete both to create new ones',
      error,
    );
  }
  return { certificate, key: key ?? '' };
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return (await readRegularFile(path)).toString('utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** The key first: a certificate without its key is worse than a key without certificate. */
async function writePair(folder: string, name: string, pair: PemPair): Promise<void> {
  await writeWhole(join(folder, `${name}.key`), pair.key, 0o600);
  await writeWhole(join(folder, `${name}.crt`), pair.certificate, 0o644);
}

/** Writes a file atomically. */
export async function writeWhole(path: string, text: string, mode: number): Promise<void> {
  const temporary = `${path}.${String(process.pid)}.new`;
  await writeFile(temporary, text, { mode, flush: true });
  await rename(temporary, path);
}

function missingAuthority(folder: string, name: string): StartError {
  return StartError.of(
    'CERTIFICATE_INVALID',
    `${join(folder, name)}.crt is missing`,
    'restore it with its key; without it, the next start makes another authority, which no client trusts yet',
  );
}

function missingKey(folder: string, wanted: Wanted): StartError {
  const key = join(folder, `${wanted.authorityName}.key`);
  return StartError.of(
    'KEY_INVALID',
    `${wanted.name}.crt must be created, but ${key} is missing`,
    `restore the key, or delete ${wanted.authorityName}.crt to create a new CA`,
  );
}

function folderError(folder: string, error: unknown): StartError {
  return StartError.of(
    'DATA_FOLDER_UNUSABLE',
    `the PKI folder ${folder} cannot be used (${reasonIn(folder, error)})`,
    'make it writable or choose another folder',
    error,
  );
}
