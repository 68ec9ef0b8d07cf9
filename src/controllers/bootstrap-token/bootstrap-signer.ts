/**
 * The bootstrap signer: the ConfigMap `cluster-info` in the public namespace carries, for each bootstrap token that may
 * sign, a signature of its kubeconfig. A client that knows a token can trust the CA that the kubeconfig names.
 */
import { createHmac } from 'node:crypto';
import type { ApiObject } from '../../meta/object.ts';
import { systemNamespace, type NamingProfile } from '../../meta/naming.ts';
import { configMaps, secrets } from '../core-resources.ts';
import { reflect } from '../reflector.ts';
import type { Controller, MetadataEvent, ObjectRef } from '../types.ts';
import { WorkQueue } from '../work-queue.ts';
import {
  endOf,
  tokenSecrets,
  tokenType,
  valueOf,
  waitFor,
  type BootstrapControllerOptions,
} from './token-secrets.ts';

const configMapName = 'cluster-info';
const signedKey = 'kubeconfig';
const signaturePrefix = 'jws-kubeconfig-';

export function createBootstrapSigner(options: BootstrapControllerOptions): Controller {
  return { name: 'bootstrapsigner', run: (signal) => run(options, signal) };
}

async function run(options: BootstrapControllerOptions, signal: AbortSignal): Promise<void> {
  const { client, clock, log, metrics, naming } = options;
  const names = new Set<string>();
  const queue = new WorkQueue<string>({
    ...{ name: 'bootstrapsigner', workers: 1, clock, log, metrics },
    handle: (_key, stop) => signAll(options, names, stop),
  });
  const look = (): void => queue.add(configMapName);
  const onSecret = ({ type, object }: MetadataEvent): void => {
    const { name = '' } = object.metadata;
    if (type === 'DELETED') names.delete(name);
    else names.add(name);
    look();
  };
  const { namespace } = clusterInfo(naming);
  const fieldSelector = `metadata.namespace=${namespace},metadata.name=${configMapName}`;
  await Promise.all([
    reflect({ client, clock, log, onSynced: look, onEvent: onSecret, ...tokenSecrets(naming) }, signal),
    reflect(
      { client, clock, log, onSynced: look, onEvent: look, resource: configMaps, fieldSelector },
      signal,
    ),
    queue.run(signal),
  ]);
}

function clusterInfo(naming: NamingProfile): ObjectRef {
  return { resource: configMaps, namespace: `${naming.systemPrefix}-public`, name: configMapName };
}

/** @returns when the next token will have expired, in milliseconds from now */
async function signAll(
  options: BootstrapControllerOptions,
  names: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { client, naming, clock } = options;
  const ref = clusterInfo(naming);
  const map = await client.get(ref, signal);
  const before = (map?.['data'] ?? {}) as Record<string, string>;
  const content = before[signedKey];
  if (!map || content === undefined) return undefined;
  const tokens = await signingTokens(options, names, signal);
  const rest = Object.entries(before).filter(([key]) => !key.startsWith(signaturePrefix));
  const signatures = tokens.map(({ id, secret }) => [signaturePrefix + id, signature(content, id, secret)]);
  const data = Object.fromEntries([...rest, ...signatures]) as Record<string, string>;
  if (!isSame(before, data)) await client.update(ref, { ...map, data }, '', signal);
  return waitFor(Math.min(...tokens.map(({ end }) => end)), clock.now());
}

interface SigningToken {
  readonly id: string;
  readonly secret: string;
  readonly end: number;
}

async function signingTokens(
  { client, naming, clock }: BootstrapControllerOptions,
  names: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<SigningToken[]> {
  const tokens: SigningToken[] = [];
  for (const name of names) {
    const ref = { resource: secrets, namespace: systemNamespace(naming), name };
    const found = await client.get(ref, signal);
    if (found?.['type'] === tokenType(naming) && maySign(found, clock.now())) tokens.push(tokenOf(found));
  }
  return tokens;
}

function maySign(secret: ApiObject, now: number): boolean {
  const { id, secret: word, end } = tokenOf(secret);
  return (
    /^[a-z0-9]{6}$/.test(id) &&
    /^[a-z0-9]{16}$/.test(word) &&
    secret.metadata.name === `bootstrap-token-${id}` &&
    secret.metadata.deletionTimestamp == null &&
    valueOf(secret, 'usage-bootstrap-signing') === 'true' &&
    end > now
  );
}

function tokenOf(secret: ApiObject): SigningToken {
  return { id: valueOf(secret, 'token-id'), secret: valueOf(secret, 'token-secret'), end: endOf(secret) };
}

/** A signature in JWS form whose content stands elsewhere. */
function signature(content: string, id: string, secret: string): string {
  const header = base64url(JSON.stringify({ alg: 'HS256', kid: id }));
  const mac = createHmac('sha256', secret)
    .update(`${header}.${base64url(content)}`)
    .digest('base64url');
  return `${header}..${mac}`;
}

function base64url(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64url');
}

function isSame(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}
