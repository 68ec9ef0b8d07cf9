/**
 * `legacy-service-account-token-cleaner`: tokens of Secrets that a service account names and nobody uses (KEP-2799), once a day:
 *
 *   not used for the period, and no pod names it ──▶ labelled: since today it counts no more
 *   not used for the period after that            ──▶ deleted
 *
 * Uses are known since the day in a ConfigMap; before the period has passed since then, nothing is judged.
 */
import type { Pod, Secret, ServiceAccount } from '../../api/core/v1.types.ts';
import { secretNames } from '../../api/core/pod/references.ts';
import type { Stored } from '../../api/define.ts';
import { Slice } from '../../base/cooperate.ts';
import { systemNamespace, type NamingProfile } from '../../meta/naming.ts';
import { isLostChange, unlessLost } from '../../meta/lost-race.ts';
import {
  dayOf,
  isDay,
  secretTokenLabels,
  tokenTrackingName,
  type SecretTokenLabels,
} from '../../meta/secret-token-labels.ts';
import { instantOf } from '../../meta/time.ts';
import { configMaps, coreResource, secrets, serviceAccounts } from '../core-resources.ts';
import type { Controller, ControllerContext } from '../types.ts';
import { WorkQueue } from '../work-queue.ts';

export interface TokenSecretCleanerOptions extends ControllerContext {
  readonly naming: NamingProfile;
  /** How long a token may be unused, and how long it is kept once it counts no more. */
  readonly periodMs: number;
  /** Whether the server has the feature; absent: as its release has it. */
  readonly isEnabled?: boolean | undefined;
}

const name = 'legacy-service-account-token-cleaner';
const dayMs = 86_400_000;
/** The release that ends tokens. */
const since = 29;
const pods = coreResource('Pod', 'pods');

export function createTokenSecretCleaner(options: TokenSecretCleanerOptions): Controller {
  return {
    name,
    run: async (signal) => {
      const isEnabled = options.isEnabled ?? (await options.client.minorVersion(signal)) >= since;
      if (isEnabled) await new TokenSecretCleaner(options).run(signal);
    },
  };
}

/** A Secret whose token nobody has used for the period. */
interface Candidate {
  readonly secret: Stored<Secret>;
  readonly namespace: string;
  readonly name: string;
}

class TokenSecretCleaner {
  readonly #options: TokenSecretCleanerOptions;
  readonly #labels: SecretTokenLabels;

  constructor(options: TokenSecretCleanerOptions) {
    this.#options = options;
    this.#labels = secretTokenLabels(options.naming);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log, metrics } = this.#options;
    const handle = async (_key: string, stop: AbortSignal): Promise<number> => {
      await this.#look(stop);
      return dayMs;
    };
    const queue = new WorkQueue<string>({ name, workers: 1, clock, log, metrics, handle });
    queue.add('all');
    await queue.run(signal);
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { client, clock, naming, periodMs } = this.#options;
    const before = clock.now() - periodMs;
    const noted = await this.#notedSince(signal);
    if (noted === undefined || noted > before) return;
    const fieldSelector = `type=${naming.labelDomain}/service-account-token`;
    const { items } = await client.listMetadata(secrets, '', signal, { fieldSelector });
    const namedBy = new Map<string, Promise<ReadonlySet<string>>>();
    const slice = new Slice();
    for (const secret of items) {
      signal.throwIfAborted();
      await slice.breathe();
      const { namespace = '', name: own = '' } = secret.metadata;
      if (!this.#isUnused(secret, before)) continue;
      const candidate = { secret, namespace, name: own };
      if (!(await this.#isAutomatic(candidate, signal))) continue;
      const named = namedBy.get(namespace) ?? this.#namedByPods(namespace, signal);
      namedBy.set(namespace, named);
      if (!(await named).has(own)) await this.#retire(candidate, before, signal);
    }
  }

  /** The end of the day since when uses are noted; undefined where none is said. */
  async #notedSince(signal: AbortSignal): Promise<number | undefined> {
    const { client, naming } = this.#options;
    const ref = { resource: configMaps, namespace: systemNamespace(naming), name: tokenTrackingName(naming) };
    const { since: day } = ((await client.get(ref, signal))?.['data'] ?? {}) as { since?: unknown };
    return isDay(day) ? Date.parse(day) + dayMs : undefined;
  }

  /** A label that is no day says nothing. */
  #isUnused({ metadata }: Stored<Secret>, before: number): boolean {
    const { creationTimestamp, deletionTimestamp, labels } = metadata;
    if (deletionTimestamp != null || !(instantOf(creationTimestamp ?? '') < before)) return false;
    const lastUsed = labels?.[this.#labels.lastUsed];
    return lastUsed === undefined || (isDay(lastUsed) && lastUsed < dayOf(before));
  }

  /** Whether its service account names it: so do those that a controller made. */
  async #isAutomatic({ secret, namespace, name: own }: Candidate, signal: AbortSignal): Promise<boolean> {
    const { labelDomain } = this.#options.naming;
    const { annotations } = secret.metadata;
    const account = annotations?.[`${labelDomain}/service-account.name`] ?? '';
    if (account === '') return false;
    const ref = { resource: serviceAccounts, namespace, name: account };
    const found: Stored<ServiceAccount> | undefined = await this.#options.client.get(ref, signal);
    const uid = annotations?.[`${labelDomain}/service-account.uid`] ?? '';
    if (!found || (uid !== '' && uid !== found.metadata.uid)) return false;
    return found.secrets?.some((reference) => reference.name === own) === true;
  }

  async #namedByPods(namespace: string, signal: AbortSignal): Promise<ReadonlySet<string>> {
    const names = new Set<string>();
    const onItem = ({ spec }: Stored<Pod>): void => {
      for (const secret of spec ? secretNames(spec) : []) names.add(secret);
    };
    await this.#options.client.eachObject(pods, { namespace, onItem }, signal);
    return names;
  }

  async #retire(
    { secret, namespace, name: own }: Candidate,
    before: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { client, clock, log } = this.#options;
    const { uid = '', resourceVersion = '', labels } = secret.metadata;
    const ref = { resource: secrets, namespace, name: own };
    const invalidSince = labels?.[this.#labels.invalidSince];
    if (!isDay(invalidSince)) {
      const metadata = { uid, labels: { [this.#labels.invalidSince]: dayOf(clock.now()) } };
      await unlessLost(client.patch(ref, { metadata }, signal), isLostChange);
      log.info({ namespace, secret: own }, 'an unused token of a Secret counts no more');
    } else if (invalidSince < dayOf(before)) {
      await unlessLost(client.delete(ref, { uid, resourceVersion }, signal), isLostChange);
      log.info({ namespace, secret: own }, 'a Secret with an unused token was removed');
    }
  }
}
