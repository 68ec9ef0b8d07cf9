/** Reads a kubeconfig file: server, CA bundle and credentials. */
import { dirname, resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { load, YAMLException } from 'js-yaml';
import { messageOf } from '../base/errors.ts';
import { isObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { longestConfiguration, readRegularFile } from '../base/regular-file.ts';
import { reasonOf, StartError } from '../base/start-error.ts';
import { isWholePem } from '../base/whole-pem.ts';

export interface ApiAccess {
  readonly server: URL;
  readonly ca: Buffer | undefined;
  readonly cert: Buffer | undefined;
  readonly key: Buffer | undefined;
  /** '' if a client certificate is used. */
  readonly token: string;
  /** The server's certificate is not verified (`insecure-skip-tls-verify`). Default: it is. */
  readonly skipsVerification?: boolean;
  /** The name that its certificate is verified for (`tls-server-name`). Default: the host of `server`. */
  readonly serverName?: string;
}

export interface Kubeconfig extends ApiAccess {
  /** The file and the files that it refers to. */
  readonly files: readonly string[];
}

/**
 * Reads the current context of a file.
 * @throws StartError with the file and all its errors
 */
export async function readKubeconfig(path: string, flag = '--kubeconfig'): Promise<Kubeconfig> {
  const file: NamedFile = { path, flag };
  const { server, cluster, user } = currentContext(file, await content(file));
  const beside = [
    fileBeside(file, cluster, 'certificate-authority'),
    fileBeside(file, user, 'client-certificate'),
    fileBeside(file, user, 'client-key'),
    fileBeside(file, user, 'tokenFile'),
  ];
  const tls = {
    ca: await bytes(file, cluster, 'certificate-authority'),
    cert: await bytes(file, user, 'client-certificate'),
    key: await bytes(file, user, 'client-key'),
  };
  assertUsable(file, tls);
  return {
    server,
    ...tls,
    ...verification(file, cluster, tls.ca),
    token: await tokenOf(file, user),
    files: [path, ...beside.filter((name) => name !== undefined)],
  };
}

/** @throws StartError for an empty file, which may be one that is being written: calls without a token would be refused */
async function tokenOf(file: NamedFile, user: JsonObject): Promise<string> {
  const content = await bytes(file, user, 'tokenFile');
  if (content === undefined) return text(user['token']);
  const token = content.toString('utf8').trim();
  if (token === '') throw wrong(file, 'its tokenFile is empty');
  return token;
}

/** How the server is known. @throws StartError where a CA bundle would not be looked at, as client-go does */
function verification(
  file: NamedFile,
  cluster: JsonObject,
  ca: Buffer | undefined,
): Pick<ApiAccess, 'skipsVerification' | 'serverName'> {
  const skipsVerification = cluster['insecure-skip-tls-verify'] === true;
  if (skipsVerification && ca !== undefined)
    throw wrong(
      file,
      'insecure-skip-tls-verify leaves its certificate-authority without effect: remove one of them',
    );
  const serverName = text(cluster['tls-server-name']);
  return { ...(skipsVerification && { skipsVerification }), ...(serverName !== '' && { serverName }) };
}

/** What TLS refuses would fail every call. @throws StartError */
function assertUsable(file: NamedFile, tls: Pick<ApiAccess, 'ca' | 'cert' | 'key'>): void {
  try {
    createSecureContext(tls);
  } catch (error) {
    throw wrong(file, `its certificates or keys cannot be used for TLS (${messageOf(error)})`, error);
  }
  // From what is not in PEM form TLS reads no authority, and says nothing.
  const ca = tls.ca?.toString('latin1');
  if (ca?.includes('-----BEGIN') === false) throw wrong(file, 'its certificate-authority is not in PEM form');
  if (ca !== undefined && !isWholePem(ca)) throw wrong(file, 'its certificate-authority is cut off');
}

/** @throws StartError with every error and its line */
function currentContext(
  file: NamedFile,
  yaml: string,
): { server: URL; cluster: JsonObject; user: JsonObject } {
  const root = parsed(file, yaml);
  const current = text(root['current-context']);
  const context = named(root, 'contexts', 'context', current);
  const at = (pattern: RegExp): string => `line ${String(lineOf(yaml, pattern))}:`;
  if (!context) throw wrong(file, `${at(/^current-context/)} current-context is not among contexts`);
  const cluster = named(root, 'clusters', 'cluster', text(context['cluster']));
  const user = named(root, 'users', 'user', text(context['user']));
  const server = URL.parse(text(cluster?.['server']));
  const errors: string[] = [];
  if (!cluster) errors.push(`${at(/^\s+cluster:\s*\S/)} the context's cluster is not among clusters`);
  else if (server?.protocol !== 'https:') errors.push(`${at(/^\s+server:/)} the server is no https URL`);
  if (!user) errors.push(`${at(/^\s+user:\s*\S/)} the context's user is not among users`);
  errors.push(...wrongTypes(cluster), ...wrongTypes(user));
  if (!cluster || !user || !server || errors.length > 0) throw wrong(file, errors.join('; '));
  return { server, cluster, user };
}

const texts = [
  ...['certificate-authority', 'certificate-authority-data', 'tls-server-name'],
  ...['client-certificate', 'client-certificate-data', 'client-key', 'client-key-data', 'token', 'tokenFile'],
];
const switchName = 'insecure-skip-tls-verify';

/** What would count as absent otherwise: calls would go without the token, or to a server that any authority vouches for. */
function wrongTypes(holder: JsonObject = {}): string[] {
  const notText = texts.filter((name) => holder[name] != null && typeof holder[name] !== 'string');
  const hasSwitch = holder[switchName] == null || typeof holder[switchName] === 'boolean';
  return [
    ...notText.map((name) => `${name} is no text`),
    ...(hasSwitch ? [] : [`${switchName} is neither true nor false`]),
  ];
}

/** Number of the first matching line; 1 if none matches. */
function lineOf(yaml: string, pattern: RegExp): number {
  return Math.max(1, yaml.split('\n').findIndex((line) => pattern.test(line)) + 1);
}

interface NamedFile {
  readonly path: string;
  /** The flag that names it. */
  readonly flag: string;
}

async function content({ path, flag }: NamedFile): Promise<string> {
  try {
    return (await readRegularFile(path, longestConfiguration)).toString('utf8');
  } catch (error) {
    throw StartError.of(
      'FILE_UNREADABLE',
      `${path} cannot be read (${reasonOf(error)})`,
      `correct ${flag} or the file`,
      error,
    );
  }
}

function parsed(file: NamedFile, yaml: string): JsonObject {
  try {
    const value = load(yaml);
    if (isObject(value)) return value;
  } catch (error) {
    const line = error instanceof YAMLException ? (error.mark?.line ?? 0) + 1 : 1;
    throw wrong(file, `line ${String(line)}: invalid YAML`, error);
  }
  throw wrong(file, 'line 1: not a kubeconfig');
}

function wrong({ path, flag }: NamedFile, problem: string, cause?: unknown): StartError {
  return StartError.of('KUBECONFIG_INVALID', `${path} cannot be used: ${problem}`, `correct ${flag}`, cause);
}

function named(config: JsonObject, list: string, member: string, name: string): JsonObject | undefined {
  const entries = config[list];
  const found = Array.isArray(entries) ? entries.find((e) => isObject(e) && e['name'] === name) : undefined;
  const value = isObject(found) ? found[member] : undefined;
  return isObject(value) ? value : undefined;
}

/** Data given inline as base64 (`<name>-data`) or as a file name. */
async function bytes(file: NamedFile, holder: JsonObject, name: string): Promise<Buffer | undefined> {
  const inline = inlineOf(holder, name);
  if (inline !== '') return Buffer.from(inline, 'base64');
  const path = fileBeside(file, holder, name);
  return path === undefined ? undefined : Buffer.from(await content({ ...file, path }));
}

/** undefined if no file is given, or inline data takes precedence. */
function fileBeside(file: NamedFile, holder: JsonObject, name: string): string | undefined {
  const other = text(holder[name]);
  return other === '' || inlineOf(holder, name) !== '' ? undefined : resolve(dirname(file.path), other);
}

function inlineOf(holder: JsonObject, name: string): string {
  return text(holder[`${name}-data`]);
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
