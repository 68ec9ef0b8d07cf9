/** Reconciles existing APIServices with the desired ones. */
import { Slice } from '../../base/cooperate.ts';
import { deepCopy, deepEqual, type JsonObject } from '../../base/json.ts';
import { apiServiceOf, type APIService } from '../../extension/aggregated-apis/registered-service.ts';
import { asJson } from '../../meta/object.ts';
import { expandNames, type NamingProfile } from '../../meta/naming.ts';
import { isObjectAlreadyExists } from '../../meta/object-errors.ts';
import { unlessLost } from '../../meta/lost-race.ts';
import { addressOf } from '../../registry/scope-keys.ts';
import type { RequestScope, ResourceVerbs, ServedResource } from '../../registry/types.ts';
import type { Entry } from '../../storage/types.ts';
import type { Automanaged, DesiredService } from './desired-services.ts';
import { deletionOf, ownScope } from '../../registry/write/own-writes.ts';
import type { DamagedObjects } from '../damaged-objects.ts';

export interface ApiServiceReconcilerParts {
  readonly naming: NamingProfile;
  /** The resource of APIServices. */
  readonly resource: ServedResource;
  readonly verbs: Pick<ResourceVerbs, 'get' | 'create' | 'replace' | 'delete'>;
  /** Those in this replica's view that can be read: one that is damaged must not keep a start from its end. */
  readonly entries: () => Iterable<Entry>;
  readonly damaged: DamagedObjects;
}

/** The scope of the reconciliation: everything at start, later only what no other replica would revert. */
export type ReconcileTrigger = 'start' | 'change';

const automanagedLabel = 'kube-aggregator.{label}/automanaged';

/** As what is damaged is told. */
export function apiServiceName(name: string): string {
  return `apiservices/${name}`;
}

export class ApiServiceReconciler {
  private readonly parts: ApiServiceReconcilerParts;
  private readonly label: string;

  constructor(parts: ApiServiceReconcilerParts) {
    this.parts = parts;
    this.label = expandNames(automanagedLabel, parts.naming);
  }

  /**
   * Creates missing APIServices, corrects different ones and deletes surplus ones. Those without the label are not
   * touched. Replicas may run this concurrently.
   * @throws StatusError if etcd is unavailable
   */
  async reconcile(
    desired: readonly DesiredService[],
    trigger: ReconcileTrigger,
    signal: AbortSignal,
  ): Promise<void> {
    const scope = this.scope(signal);
    const slice = new Slice();
    const surplus = new Map<string, APIService>();
    // Parsed once: there may be thousands, of which one changes.
    for (const entry of [...this.parts.entries()]) {
      const found = apiServiceOf(entry);
      surplus.set(nameOf(found), found);
      await slice.breathe();
    }
    const isDue = (found: APIService, automanaged: Automanaged): boolean =>
      trigger === 'start' ? this.automanagedOf(found) !== undefined : this.isAutomanaged(found, automanaged);
    const writes: Promise<void>[] = [];
    for (const service of desired) {
      const found = surplus.get(service.name);
      surplus.delete(service.name);
      const apply = (): Promise<void> => unlessLost(this.apply(service, { scope, found, isDue }));
      writes.push(handled(this.parts.damaged.skipIfDamaged(apiServiceName(service.name), apply)));
      await slice.breathe();
    }
    for (const found of surplus.values()) {
      if (isDue(found, 'true')) writes.push(handled(unlessLost(this.remove(found, scope))));
      await slice.breathe();
    }
    await Promise.all(writes);
  }

  private async apply(service: DesiredService, { scope, found, isDue }: ReconcileContext): Promise<void> {
    const { verbs } = this.parts;
    if (!found) await this.create(service, scope);
    else if (
      isDue(found, service.automanaged) &&
      !deepEqual(asJson(found)['spec'], service.spec as JsonObject)
    )
      await verbs.replace(scope, service.name, {
        ...deepCopy(asJson(found)),
        spec: service.spec as JsonObject,
      });
  }

  /** @throws StatusError with what is wrong where a damaged one has the name, which the view does not show */
  private async create(service: DesiredService, scope: RequestScope): Promise<void> {
    const { verbs } = this.parts;
    try {
      await verbs.create(scope, '', this.newObject(service));
    } catch (error) {
      if (!isObjectAlreadyExists(error, addressOf(scope, service.name))) throw error;
      await verbs.get(scope, service.name, { resourceVersion: '' });
    }
  }

  private async remove(found: APIService, scope: RequestScope): Promise<void> {
    const { uid = '' } = found.metadata;
    await this.parts.verbs.delete(scope, nameOf(found), deletionOf(uid));
  }

  private newObject({ name, automanaged, spec }: DesiredService): JsonObject {
    return { metadata: { name, labels: { [this.label]: automanaged } }, spec: spec as JsonObject };
  }

  /**
   * Replicas of another release expect other built-in APIServices: these are reconciled only at start, or the
   * replicas would never agree.
   */
  private isAutomanaged(found: APIService, automanaged: Automanaged): boolean {
    return automanaged === 'true' && this.automanagedOf(found) === 'true';
  }

  private automanagedOf({ metadata }: APIService): Automanaged | undefined {
    const value = metadata.labels?.[this.label];
    return value === 'true' || value === 'onstart' ? value : undefined;
  }

  private scope(signal: AbortSignal): RequestScope {
    return ownScope({ resource: this.parts.resource, signal });
  }
}

interface ReconcileContext {
  readonly scope: RequestScope;
  readonly found: APIService | undefined;
  readonly isDue: (found: APIService, automanaged: Automanaged) => boolean;
}

function nameOf({ metadata }: APIService): string {
  return metadata.name ?? '';
}

/** Somebody waits for it later: until then nobody else need handle its failure. */
function handled(write: Promise<void>): Promise<void> {
  write.catch(() => undefined);
  return write;
}
