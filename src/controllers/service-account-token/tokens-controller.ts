/**
 * Tokens of service accounts in Secrets (Kubernetes documentation, "Managing Service Accounts"): every account names a
 * Secret with its token, a deleted Secret is created again, and Secrets go with their account. From release 1.24 on
 * (feature gate LegacyServiceAccountTokenNoAutoGeneration) no Secret is created; those that users create get a token.
 *
 * ServiceAccount ──▶ accounts ──names none──▶ a Secret is made, the account names it
 * ▲               │ gone
 * │ deleted       ▼
 * Secret of the type ──▶ secrets ──account gone──▶ removed
 * └──incomplete──▶ completed
 */
import type { Controller, MetadataEvent } from '../types.ts';
import { secrets as secretsResource, serviceAccounts } from '../core-resources.ts';
import { createsTokenSecrets } from '../controller-names.ts';
import { ignoreTerminating } from '../per-namespace.ts';
import { reflect } from '../reflector.ts';
import { WorkQueue } from '../work-queue.ts';
import type { ServiceAccountTokenOptions } from './tokens-controller-options.ts';
import { syncAccount } from './sync-account.ts';
import { syncSecret } from './sync-secret.ts';

export function createServiceAccountTokenController(options: ServiceAccountTokenOptions): Controller {
  return { name: 'serviceaccount-token', run: (signal) => new TokenController(options).run(signal) };
}

class TokenController {
  private readonly options: ServiceAccountTokenOptions;
  /** Names of Secrets by the key of the account that they name. */
  private readonly known = new Map<string, Set<string>>();
  private readonly accounts: WorkQueue<string>;
  private readonly secrets: WorkQueue<string>;
  private readonly secretsKnown = Promise.withResolvers<undefined>();
  /** Of the server, once it is known. */
  private minorVersion: number | undefined;

  constructor(options: ServiceAccountTokenOptions) {
    this.options = options;
    const { clock, log, metrics } = options;
    this.accounts = new WorkQueue({
      ...{ name: 'serviceaccount-token', workers: 4, clock, log, metrics },
      handle: (key, signal) => this.handleAccount(key, signal),
    });
    this.secrets = new WorkQueue({
      ...{ name: 'serviceaccount-token-secret', workers: 4, clock, log, metrics },
      handle: (key, signal) => this.handleSecret(key, signal),
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { client, clock, log, secretType } = this.options;
    const onAccount = (event: MetadataEvent): void => this.noteAccount(event);
    const onSecret = (event: MetadataEvent): void => this.noteSecret(event);
    const isKnown = (): void => this.secretsKnown.resolve(undefined);
    const ignore = (): void => undefined;
    signal.addEventListener('abort', isKnown, { once: true });
    await Promise.all([
      reflect(
        { client, clock, log, resource: serviceAccounts, onEvent: onAccount, onSynced: ignore },
        signal,
      ),
      reflect(
        {
          ...{ client, clock, log, resource: secretsResource, fieldSelector: `type=${secretType}` },
          ...{ onEvent: onSecret, onSynced: isKnown, keptAnnotations: [this.options.nameAnnotation] },
        },
        signal,
      ),
      this.secrets.run(signal),
      // Before all Secrets are known, an account whose Secret was left behind would get another.
      this.secretsKnown.promise.then(() => this.accounts.run(signal)),
    ]);
  }

  /** The Secrets of one that is gone are looked at whether or not another has its name by then. */
  private noteAccount({ type, object: { metadata } }: MetadataEvent): void {
    const key = keyOf(metadata);
    this.accounts.add(key);
    if (type !== 'DELETED') return;
    for (const name of this.known.get(key) ?? []) this.secrets.add(keyOf({ ...metadata, name }));
  }

  private noteSecret({ type, object: { metadata } }: MetadataEvent): void {
    const { name = '', namespace = '', annotations } = metadata;
    const account = `${namespace}/${annotations?.[this.options.nameAnnotation] ?? ''}`;
    const names = this.known.get(account) ?? new Set();
    if (type === 'DELETED') names.delete(name);
    else names.add(name);
    if (names.size === 0) this.known.delete(account);
    else this.known.set(account, names);
    if (type === 'DELETED') this.accounts.add(account);
    else this.secrets.add(keyOf(metadata));
  }

  private async handleAccount(key: string, signal: AbortSignal): Promise<undefined> {
    const createsSecret = await this.createsSecrets(signal);
    const work = { ...partsOf(key), knownSecrets: [...(this.known.get(key) ?? [])], createsSecret };
    await ignoreTerminating(() => syncAccount(this.options, work, signal));
  }

  private async createsSecrets(signal: AbortSignal): Promise<boolean> {
    const { createsSecrets, client } = this.options;
    if (createsSecrets !== undefined) return createsSecrets;
    this.minorVersion ??= await client.minorVersion(signal);
    return createsTokenSecrets(this.minorVersion);
  }

  private async handleSecret(key: string, signal: AbortSignal): Promise<undefined> {
    await ignoreTerminating(() => syncSecret(this.options, partsOf(key), signal));
  }
}

function keyOf({ namespace = '', name = '' }: { namespace?: string; name?: string }): string {
  return `${namespace}/${name}`;
}

function partsOf(key: string): { namespace: string; name: string } {
  const [namespace = '', name = ''] = key.split('/', 2);
  return { namespace, name };
}
