/** Reads and checks the files of the configuration; each error has its flag. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createSecureContext } from 'node:tls';
import { FileError, listErrors } from '../base/file-error.ts';
import { messageOf } from '../base/errors.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { readKubeconfig, type Kubeconfig } from '../webhook/kubeconfig-reader.ts';
import { reasonOf, StartError, type StartErrorDetail, type StartErrorCode } from '../base/start-error.ts';
import { makeFolder } from '../base/make-folder.ts';
import { longestConfiguration, longestPem, readRegularFile } from '../base/regular-file.ts';
import { isWholePem } from '../base/whole-pem.ts';
import type { ConfiguredWebhook } from '../webhook/webhook-client.ts';

const { O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK, O_NOCTTY } = constants;

/** A certificate chain with its key, PEM. */
export interface KeyPair {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** How a file is parsed or rejected. */
export interface FileRule<T> {
  /** Including the dashes. */
  readonly flag: string;
  readonly code: StartErrorCode;
  /** In bytes; default: as long as a table may be. */
  readonly longest?: number;
  /** @throws FileError with what is wrong, line by line */
  readonly parse: (text: string) => T;
}

/** How a file is parsed as far as possible. */
export interface ParsedRule<T> {
  /** Including the dashes. */
  readonly flag: string;
  readonly code: StartErrorCode;
  /** Returns what could be parsed, and the errors by line. */
  readonly parse: (text: string) => MaybePromise<{ readonly value: T; readonly errors: readonly string[] }>;
}

/** Reads files and adds what is wrong with them to `errors`; every method gives undefined for `''` and for invalid files. */
export class FileCheck {
  private readonly errors: StartErrorDetail[];

  constructor(errors: StartErrorDetail[]) {
    this.errors = errors;
  }

  /** Errors that show only where several files are looked at together. */
  report(errors: readonly StartErrorDetail[]): void {
    this.errors.push(...errors);
  }

  /** @param flags those that name the two files, such as `--a and --b`, or the one that names both */
  async pair(certFile: string, keyFile: string, flags: string): Promise<KeyPair | undefined> {
    const [certFlag = '', keyFlag = certFlag] = flags.split(' and ', 2);
    const cert = await this.bytes(certFile, certFlag, longestPem);
    const key = await this.bytes(keyFile, keyFlag, longestPem);
    const certificate = cert && this.certificate(cert, certFile, certFlag);
    const privateKey = key && this.privateKey(key, keyFile, keyFlag);
    if (!cert || !key || !certificate || !privateKey) return undefined;
    if (certificate.checkPrivateKey(privateKey)) return this.usable({ cert, key }, certFile, flags);
    this.add(
      'KEY_MISMATCH',
      `the key ${keyFile} does not belong to the certificate ${certFile}`,
      `correct ${flags}`,
    );
    return undefined;
  }

  /** TLS refuses more: short keys, and damage in the certificates behind the first one. */
  private usable(pair: KeyPair, certFile: string, flags: string): KeyPair | undefined {
    const context = parse(() => createSecureContext(pair));
    if (typeof context !== 'string') return pair;
    const cause = `the certificate ${certFile} and its key cannot be used for TLS (${context})`;
    this.add('CERTIFICATE_INVALID', cause, `correct ${flags}`);
    return undefined;
  }

  async authorities(file: string, flag: string): Promise<Buffer | undefined> {
    const bytes = await this.bytes(file, flag, longestPem);
    if (bytes === undefined) return undefined;
    const text = bytes.toString('latin1');
    const isValid = text.match(pemBlock)?.every(isCertificate) === true;
    if (isValid && isWholePem(text)) return bytes;
    const what = isValid ? 'is cut off in a certificate' : 'holds no certificate authorities in PEM form';
    this.add('CA_INVALID', `${file} ${what}`, `correct ${flag}`);
    return undefined;
  }

  /** The parsed file, if it is valid. */
  async parsed<T>(file: string, { flag, code, longest, parse: read }: FileRule<T>): Promise<T | undefined> {
    const text = (await this.bytes(file, flag, longest))?.toString('utf8');
    if (text === undefined) return undefined;
    try {
      return read(text);
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      this.add(code, `${file}: ${error.message}`, `correct these lines, or ${flag}`);
      return undefined;
    }
  }

  /** What a file holds; of an invalid one as much as can be made of it, so that more can be checked. */
  async parsedInPart<T>(file: string, { flag, code, parse: read }: ParsedRule<T>): Promise<T | undefined> {
    const text = (await this.bytes(file, flag, longestConfiguration))?.toString('utf8');
    if (text === undefined) return undefined;
    const { value, errors } = await read(text);
    if (errors.length > 0)
      this.add(code, `${file}: ${listErrors(errors)}`, `correct these lines, or ${flag}`);
    return value;
  }

  /** The webhook that a kubeconfig file configures. */
  async webhook(file: string, flag: string): Promise<ConfiguredWebhook | undefined> {
    const access = await this.access(file, flag);
    return access && { ...access, server: access.server.href };
  }

  /** The server and the credentials that a kubeconfig file configures. */
  async access(file: string, flag: string): Promise<Kubeconfig | undefined> {
    if (file === '') return undefined;
    try {
      return await readKubeconfig(file, flag);
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      this.errors.push(...error.errors);
      return undefined;
    }
  }

  /** Checks that a file can be appended to; creates it if it is missing. A named pipe needs a reader. */
  async appendable(file: string, flag: string): Promise<void> {
    if (file === '') return;
    try {
      await makeFolder(dirname(file));
      await (await open(file, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_NOCTTY, 0o600)).close();
    } catch (error) {
      const cause = `${file} cannot be written (${reasonOf(error)})`;
      this.add('FILE_UNWRITABLE', cause, `correct ${flag} or the folder`);
    }
  }

  private certificate(bytes: Buffer, file: string, flag: string): X509Certificate | undefined {
    const certificate = parse(() => new X509Certificate(bytes));
    if (!(certificate instanceof X509Certificate)) {
      this.add('CERTIFICATE_INVALID', `${file} holds no certificate (${certificate})`, `correct ${flag}`);
      return undefined;
    }
    if (certificate.validToDate.getTime() >= Date.now()) return certificate;
    const since = certificate.validToDate.toISOString();
    this.add('CERTIFICATE_INVALID', `the certificate ${file} is expired since ${since}`, 'renew it');
    return undefined;
  }

  private privateKey(
    bytes: Buffer,
    file: string,
    flag: string,
  ): ReturnType<typeof createPrivateKey> | undefined {
    const key = parse(() => createPrivateKey(bytes));
    if (typeof key !== 'string') return key;
    this.add('KEY_INVALID', `${file} holds no private key without a passphrase (${key})`, `correct ${flag}`);
    return undefined;
  }

  private async bytes(file: string, flag: string, longest?: number): Promise<Buffer | undefined> {
    if (file === '') return undefined;
    try {
      return await readRegularFile(file, longest);
    } catch (error) {
      this.add(
        'FILE_UNREADABLE',
        `${file} cannot be read (${reasonOf(error)})`,
        `correct ${flag} or the file`,
      );
      return undefined;
    }
  }

  private add(code: StartErrorCode, cause: string, remedy: string): void {
    this.errors.push({ code, cause, remedy });
  }
}

/**
 * PEM markers must stand on lines of their own: TLS reads nothing from files that were joined without a line break.
 */
const pemBlock =
  /^-----BEGIN (?:TRUSTED )?CERTIFICATE-----\s*$[^]*?^-----END (?:TRUSTED )?CERTIFICATE-----\s*$/gm;

function isCertificate(pem: string): boolean {
  return typeof parse(() => new X509Certificate(pem)) !== 'string';
}

/** The result of `make`, or the reason of its failure. */
function parse<T extends object>(make: () => T): T | string {
  try {
    return make();
  } catch (error) {
    return messageOf(error);
  }
}
