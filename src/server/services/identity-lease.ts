/**
 * The Lease by which a replica says that it lives (gate `APIServerIdentity`), renewed while it runs, and the end of those that
 * nobody renews any more. A replica that starts again on its machine has the same Lease; one that stops leaves it to expire.
 */
import { createHash } from 'node:crypto';
import type { Lease as LeaseFields } from '../../api/coordination/v1.types.ts';
import type { Stored } from '../../api/define.ts';
import { base32 } from '../../base/base32.ts';
import type { JsonObject } from '../../base/json.ts';
import { Slice } from '../../base/cooperate.ts';
import type { Environment } from '../../base/environment.ts';
import { expandNames, systemNamespace, type NamingProfile } from '../../meta/naming.ts';
import { asJson } from '../../meta/object.ts';
import { isLostChange, unlessLost } from '../../meta/lost-race.ts';
import { formatMicros, instantOf } from '../../meta/time.ts';
import type { Release } from '../../observe/release.ts';
import type { ResourceCatalogue, ResourceVerbs } from '../../registry/types.ts';
import { deletionOf, ownScope } from '../../registry/write/own-writes.ts';
import { entryObject } from '../../registry/written-entry.ts';
import type { Storage } from '../../storage/types.ts';
import type { MaintainedObject } from './maintained-object.ts';

type Lease = Stored<LeaseFields>;

export interface IdentityParts extends Environment {
  readonly naming: NamingProfile;
  readonly release: Release;
  readonly hostname: string;
  /** How long a Lease counts without being renewed. */
  readonly durationSeconds: number;
}

/** Where Leases are read and removed. */
export interface LeaseRemoval {
  readonly storage: Pick<Storage, 'view'>;
  readonly catalogue: ResourceCatalogue;
  readonly verbs: ResourceVerbs;
}

/** How often expired Leases are looked for. */
export const removalEveryMs = 3_600_000;

export class ServerIdentity {
  readonly #parts: IdentityParts;
  readonly #group: string;
  readonly #namespace: string;
  /** The name of the Lease, the same whenever a replica runs on this machine. */
  readonly #id: string;
  /** Of this process. */
  readonly #holder: string;
  readonly #labels: Readonly<Record<string, string>>;
  #isTaken = false;

  constructor(parts: IdentityParts) {
    const { naming, release, hostname, random } = parts;
    this.#parts = parts;
    this.#group = expandNames('coordination.{api}', naming);
    this.#namespace = systemNamespace(naming);
    const component = expandNames('{ns}-apiserver', naming);
    // Release 1.27 renamed both.
    const isRenamed = release.minor >= 27;
    const label = expandNames(isRenamed ? 'apiserver.{label}/identity' : '{api}/component', naming);
    this.#id = `${isRenamed ? 'apiserver' : component}-${hashOf(hostname, component)}`;
    this.#holder = `${this.#id}_${random.uuid()}`;
    this.#labels = { [label]: component, [expandNames('{label}/hostname', naming)]: hostname };
  }

  /** The Lease, renewed now. What others have added to it stays. */
  lease(): MaintainedObject {
    const [name, namespace] = [this.#id, this.#namespace];
    return {
      ...{ group: this.#group, plural: 'leases', namespace, name },
      next: (current) => {
        const { metadata = {}, spec = {} } = (current ?? {}) as Partial<Lease>;
        // A process that starts takes the Lease over; of several on one machine none takes it back.
        const isKept = this.#isTaken && spec.holderIdentity !== undefined;
        this.#isTaken = true;
        return {
          ...(current && asJson(current)),
          metadata: { ...metadata, name, namespace, labels: { ...metadata.labels, ...this.#labels } },
          spec: {
            ...spec,
            holderIdentity: isKept ? spec.holderIdentity : this.#holder,
            leaseDurationSeconds: this.#parts.durationSeconds,
            renewTime: formatMicros(new Date(this.#parts.clock.now())),
          },
        } as JsonObject;
      },
    };
  }

  /**
   * Removes the Leases of replicas that have expired. Replicas may run it concurrently.
   * @throws StatusError if etcd is unavailable
   */
  async removeExpired({ storage, catalogue, verbs }: LeaseRemoval, signal: AbortSignal): Promise<void> {
    const resource = catalogue.resource(this.#group, 'v1', 'leases');
    if (!resource) return;
    const slice = new Slice();
    for (const entry of storage.view(resource.storage.collection).entries(`${this.#namespace}/`, '')) {
      signal.throwIfAborted();
      await slice.breathe();
      const lease = entryObject(entry) as Lease;
      if (!this.#isExpired(lease)) continue;
      const { name = '', uid = '', resourceVersion = '' } = lease.metadata;
      const { preconditions, ...options } = deletionOf(uid);
      // One that is renewed meanwhile stays.
      const exact = { ...options, preconditions: { ...preconditions, resourceVersion } };
      const scope = ownScope({ resource, namespace: this.#namespace, signal });
      await unlessLost(verbs.delete(scope, name, exact), isLostChange);
    }
  }

  /** One of a replica without a time is none that a replica has written. */
  #isExpired({ metadata, spec = {} }: Lease): boolean {
    const [label = ''] = Object.keys(this.#labels);
    if (metadata.labels?.[label] !== this.#labels[label]) return false;
    const { renewTime, leaseDurationSeconds } = spec;
    if (renewTime == null || leaseDurationSeconds == null) return true;
    return instantOf(renewTime) + leaseDurationSeconds * 1_000 < this.#parts.clock.now();
  }
}

/** Of both texts, each after its length, so that no two pairs have the same bytes. */
function hashOf(...texts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const text of texts) {
    const bytes = Buffer.from(text);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(bytes.length);
    hash.update(length).update(bytes);
  }
  return base32(hash.digest().subarray(0, 16));
}
