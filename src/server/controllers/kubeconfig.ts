/** Reads a client configuration file (kubeconfig): where the API is, which authority to trust, who we are. */
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { load } from 'js-yaml';
import { isObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { reasonOf, StartError } from '../faults.ts';

export interface ApiAccess {
  readonly server: URL;
  readonly ca: Buffer | undefined;
  readonly cert: Buffer | undefined;
  readonly key: Buffer | undefined;
  /** '' where a certificate proves the identity. */
  readonly token: string;
}

/** Reads the current context of a file. @throws StartError that names the file and what is wrong in it */
export async function readKubeconfig(path: string): Promise<ApiAccess> {
  const config = parsed(path, await content(path));
  const context = named(config, 'contexts', 'context', text(config['current-context']));
  const cluster = context && named(config, 'clusters', 'cluster', text(context['cluster']));
  const user = context && named(config, 'users', 'user', text(context['user']));
  const server = URL.parse(text(cluster?.['server']));
  if (!cluster || !user || server?.protocol !== 'https:') {
    throw wrong(path, 'its current context names no cluster with an https server and no user');
  }
  const folder = dirname(path);
  return {
    server,
    ca: await bytes(folder, cluster, 'certificate-authority'),
    cert: await bytes(folder, user, 'client-certificate'),
    key: await bytes(folder, user, 'client-key'),
    token: text(user['token']),
  };
}

async function content(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw StartError.of(
      'FILE_UNREADABLE',
      `${path} cannot be read (${reasonOf(error)})`,
      'correct --kubeconfig or the file',
      error,
    );
  }
}

function parsed(path: string, yaml: string): JsonObject {
  try {
    const value = load(yaml);
    if (isObject(value)) return value;
  } catch (error) {
    throw wrong(path, 'it is not YAML', error);
  }
  throw wrong(path, 'it is not a client configuration');
}

function wrong(path: string, problem: string, cause?: unknown): StartError {
  return StartError.of(
    'KUBECONFIG_INVALID',
    `${path} cannot be used: ${problem}`,
    'correct --kubeconfig',
    cause,
  );
}

function named(config: JsonObject, list: string, member: string, name: string): JsonObject | undefined {
  const entries = config[list];
  const found = Array.isArray(entries) ? entries.find((e) => isObject(e) && e['name'] === name) : undefined;
  const value = isObject(found) ? found[member] : undefined;
  return isObject(value) ? value : undefined;
}

/** Material given inline as base64 (`<name>-data`) or as a file beside the configuration. */
async function bytes(folder: string, holder: JsonObject, name: string): Promise<Buffer | undefined> {
  const inline = text(holder[`${name}-data`]);
  if (inline !== '') return Buffer.from(inline, 'base64');
  const file = text(holder[name]);
  return file === '' ? undefined : Buffer.from(await content(resolve(folder, file)));
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
