/**
 * The token cleaner: bootstrap tokens are deleted when they have expired (Kubernetes documentation, "Authenticating
 * with Bootstrap Tokens").
 */
import { systemNamespace } from '../../meta/naming.ts';
import { secrets } from '../core-resources.ts';
import { ignoreTerminating } from '../per-namespace.ts';
import { reflect } from '../reflector.ts';
import type { Controller, MetadataEvent } from '../types.ts';
import { WorkQueue } from '../work-queue.ts';
import { endOf, tokenSecrets, tokenType, waitFor, type BootstrapControllerOptions } from './token-secrets.ts';

export function createTokenCleaner(options: BootstrapControllerOptions): Controller {
  return { name: 'tokencleaner', run: (signal) => run(options, signal) };
}

async function run(options: BootstrapControllerOptions, signal: AbortSignal): Promise<void> {
  const { client, clock, log, metrics, naming } = options;
  const queue = new WorkQueue<string>({
    ...{ name: 'tokencleaner', workers: 1, clock, log, metrics },
    handle: (name, stop) => clean(options, name, stop),
  });
  const onEvent = ({ type, object }: MetadataEvent): void => {
    if (type !== 'DELETED') queue.add(object.metadata.name ?? '');
  };
  const onSynced = (): void => undefined;
  await Promise.all([
    reflect({ client, clock, log, onSynced, onEvent, ...tokenSecrets(naming) }, signal),
    queue.run(signal),
  ]);
}

/** @returns when the token will have expired, in milliseconds from now */
async function clean(
  { client, log, naming, clock }: BootstrapControllerOptions,
  name: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  const ref = { resource: secrets, namespace: systemNamespace(naming), name };
  const secret = await client.get(ref, signal);
  if (secret?.['type'] !== tokenType(naming)) return undefined;
  const end = endOf(secret);
  if (end > clock.now()) return waitFor(end, clock.now());
  // With the version that was judged, so that a token which was given more time meanwhile stays.
  const { uid = '', resourceVersion = '' } = secret.metadata;
  await ignoreTerminating(() => client.delete(ref, { uid, resourceVersion }, signal));
  log.info({ secret: name }, 'an expired bootstrap token was removed');
  return undefined;
}
