/**
 * Maintains a PKI folder: valid files are kept; those that are missing, expire soon, have another CA or subject, or
 * lack a host are created. Authorities keep their keys (`authority.ts`). Keys have mode 0600.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP, isIPv6 } from 'node:net';
import { join } from 'node:path';
import { reasonIn, StartError } from '../base/start-error.ts';
import { makeFolder } from '../base/make-folder.ts';
import { removeUnfinished } from '../base/unfinished-files.ts';
import { ensureAuthority, readAuthority } from './authority.ts';
import { makeCertificate } from './issue.ts';
import { isUnfinished, readPair, writePair } from './pair-files.ts';
import { localHosts, pkiPlan, tokenKeyName, type AuthorityPlan } from './plan.ts';
import { ensureTokenKey } from './token-key.ts';
import type { CertificateRequest, PemPair, PkiResult, PkiWork } from './types.ts';
import { validityFlaw } from './validity.ts';

export interface PkiOptions {
  readonly folder: string;
  /** Additional DNS names and addresses of servers. */
  readonly hosts: readonly string[];
  readonly now?: number;
}

/**
 * Creates missing files, and removes keys and certificates that a process left unfinished when it was killed.
 * @throws StartError if a file cannot be read, parsed or written, a CA key is missing, or an authority is not valid and
 *   cannot be renewed
 */
export async function ensurePki(options: PkiOptions): Promise<PkiResult> {
  return within(options, async (work) => {
    await makeFolder(options.folder);
    await removeUnfinished(options.folder, isUnfinished, Date.now());
    for (const plan of pkiPlan) await ensureCertificates(work, plan, await ensureAuthority(work, plan));
    const isNew = await ensureTokenKey(options.folder);
    (isNew ? work.made : work.kept).push(tokenKeyName);
  });
}

/**
 * Renews certificates that expire soon, while they are in use. Authorities and the key of tokens stay: etcd reads its
 * authority at its start only.
 * @throws StartError if a file cannot be read, parsed or written, or an authority is missing or not valid
 */
export async function renewCertificates(options: PkiOptions): Promise<PkiResult> {
  return within(options, async (work) => {
    for (const plan of pkiPlan) {
      await ensureCertificates(work, plan, await readAuthority(work, plan));
    }
  });
}

async function within(options: PkiOptions, run: (work: PkiWork) => Promise<void>): Promise<PkiWork> {
  const work: PkiWork = {
    folder: options.folder,
    hosts: [...new Set([...localHosts, ...options.hosts])],
    now: options.now ?? Date.now(),
    ...{ made: [], kept: [], renewed: [], expiring: [] },
  };
  try {
    await run(work);
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw folderError(options.folder, error);
  }
  return work;
}

async function ensureCertificates(work: PkiWork, plan: AuthorityPlan, authority: PemPair): Promise<void> {
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

interface Wanted {
  readonly authority: PemPair;
  readonly authorityName: string;
  readonly name: string;
  readonly request: CertificateRequest;
}

async function ensureCertificate(work: PkiWork, wanted: Wanted): Promise<void> {
  const found = await readPair(work.folder, wanted.name);
  const why = found === undefined ? undefined : flawOf(found, wanted, work.now);
  if (found !== undefined && why === undefined) {
    work.kept.push(wanted.name);
    return;
  }
  if (wanted.authority.key === '') throw missingKey(work.folder, wanted);
  const hosts = [...new Set([...wanted.request.hosts, ...formerHosts(found, wanted)])];
  const pair = makeCertificate(wanted.authority, { ...wanted.request, hosts }, work.now);
  await writePair(work.folder, wanted.name, pair);
  work.made.push(wanted.name);
  if (why !== undefined) work.renewed.push({ name: wanted.name, why });
}

/** Why a pair is to be replaced; undefined if it is good. */
function flawOf(found: PemPair, { authority, request }: Wanted, now: number): string | undefined {
  if (found.key === '') return 'its key is missing';
  const certificate = new X509Certificate(found.certificate);
  const issuer = new X509Certificate(authority.certificate);
  const { publicKey } = issuer;
  if (!certificate.checkIssued(issuer) || !certificate.verify(publicKey)) return 'it is of another authority';
  if (!certificate.checkPrivateKey(createPrivateKey(found.key))) return 'its key is that of another';
  if (certificate.subject !== subjectOf(request)) return `its subject is ${oneLine(certificate.subject)}`;
  const lacking = request.hosts.find((host) => !answersTo(certificate, host));
  return lacking === undefined ? validityFlaw(certificate, now) : `it lacks ${lacking}`;
}

function oneLine(subject: string): string {
  return subject.replaceAll('\n', ', ');
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
