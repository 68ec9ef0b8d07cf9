/** Writes into Secrets when their tokens were last used (`LegacyServiceAccountTokenTracking`). */
import type { TokenUse } from '../../authn/service-account/secret-tokens.ts';
import type { Clock } from '../../base/clock.ts';
import { isObject, type JsonObject } from '../../base/json.ts';
import { timeLimit } from '../../base/time-limit.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { secretTokenLabels } from '../../meta/secret-token-labels.ts';
import type { ResourceCatalogue, ResourceVerbs } from '../../registry/types.ts';
import { ownScope } from '../../registry/write/own-writes.ts';

/** Writes at once; another use is told of by a later request. */
const mostAtOnce = 100;
const writeMs = 10_000;

interface Writing {
  readonly catalogue: ResourceCatalogue;
  readonly verbs: ResourceVerbs;
}

export class TokenUses {
  readonly #clock: Clock;
  readonly #naming: NamingProfile;
  /** Users are known before anything can be written. */
  #writing: Writing | undefined;
  /** Secrets that are being written. */
  readonly #pending = new Set<string>();

  constructor(clock: Clock, naming: NamingProfile) {
    this.#clock = clock;
    this.#naming = naming;
  }

  /** From now on uses are written. */
  writeBy(catalogue: ResourceCatalogue, verbs: ResourceVerbs): void {
    this.#writing = { catalogue, verbs };
  }

  /** The request does not wait for it; what fails is tried by the next one. */
  note(use: TokenUse): void {
    const key = `${use.namespace}/${use.name}`;
    if (this.#pending.has(key) || this.#pending.size >= mostAtOnce) return;
    this.#pending.add(key);
    void this.#write(use)
      .catch(() => undefined)
      .finally(() => this.#pending.delete(key));
  }

  async #write({ namespace, name, uid, day }: TokenUse): Promise<void> {
    const resource = this.#writing?.catalogue.resource('', 'v1', 'secrets');
    if (!resource) return;
    using limit = timeLimit(this.#clock, writeMs);
    const scope = ownScope({ resource, namespace, signal: limit.signal });
    const { lastUsed } = secretTokenLabels(this.#naming);
    await this.#writing?.verbs.patch(scope, name, (secret) => labelled(secret, { uid, key: lastUsed, day }));
  }
}

/** A Secret that came in place of the one that was used stays as it is. */
function labelled(
  secret: JsonObject,
  { uid, key, day }: { readonly uid: string; readonly key: string; readonly day: string },
): JsonObject {
  const metadata = isObject(secret['metadata']) ? secret['metadata'] : {};
  if (metadata['uid'] !== uid) return secret;
  const labels = isObject(metadata['labels']) ? metadata['labels'] : {};
  return { ...secret, metadata: { ...metadata, labels: { ...labels, [key]: day } } };
}
