/**
 * Maintains flow control objects: the bootstrap configuration, and the condition of schemas without a level. Uses the
 * same write path as clients. Every replica does this; each write has a precondition on the observed version, so the
 * first one wins.
 */
import type { FlowSchema } from '../../api/flowcontrol/v1beta1.types.ts';
import type { PassiveClock } from '../../base/clock.ts';
import { Slice } from '../../base/cooperate.ts';
import { deepCopy, type JsonObject } from '../../base/json.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { TokenBucket, type Rate } from '../../base/token-bucket.ts';
import type { BootstrapFlowObject } from '../../flowcontrol/bootstrap-configuration.ts';
import { withDangling } from '../../flowcontrol/dangling.ts';
import { flowControlGroup, flowSchemasPlural, levelsPlural } from '../../flowcontrol/flow-objects.ts';
import {
  autoUpdateAnnotation,
  bootstrapManager,
  reconcileFlowObject,
} from '../../flowcontrol/reconcile-flow-object.ts';
import { expandNames, type NamingProfile } from '../../meta/naming.ts';
import { asJson, type ApiObject } from '../../meta/object.ts';
import { unlessLost } from '../../meta/lost-race.ts';
import { formatSeconds } from '../../meta/time.ts';
import { entryObjectInSlices } from '../../registry/written-entry.ts';
import type { RequestScope, ResourceCatalogue, ResourceVerbs, ServedResource } from '../../registry/types.ts';
import { ownScope } from '../../registry/write/own-writes.ts';
import type { WritesElsewhere } from '../../registry/writes-elsewhere.ts';
import type { Entry, Storage } from '../../storage/types.ts';
import type { DamagedObjects } from '../damaged-objects.ts';

export interface FlowControlReconcilerParts {
  readonly naming: NamingProfile;
  readonly objects: readonly BootstrapFlowObject[];
  readonly catalogue: ResourceCatalogue;
  readonly verbs: () => ResourceVerbs;
  /** Writes large objects, as clients may make any schema one; absent: all are written here. */
  readonly writesElsewhere?: WritesElsewhere | undefined;
  /** An observed object of one of the two kinds. */
  readonly entry: (plural: string, name: string) => Entry | undefined;
  /** All of them. */
  readonly entries: (plural: string) => readonly Entry[];
  readonly storage: Pick<Storage, 'snapshot'>;
  /** New objects say that they follow the release (from release 1.22 on). */
  readonly isAnnotated: boolean;
  readonly clock: PassiveClock;
  readonly damaged: DamagedObjects;
}

const statusManager = 'api-priority-and-fairness-config-consumer';

/**
 * How often an object is set right. A replica of another release, as there is one while a service is upgraded, has it
 * otherwise and takes it back at once: from then on each of them writes it once a minute, as kube-apiserver does.
 */
const corrections: Rate = { burst: 5, qps: 1 / 60 };

export class FlowControlReconciler {
  private readonly parts: FlowControlReconcilerParts;
  private readonly annotation: string;
  /** By `<plural>/<name>`. */
  private readonly corrected = new Map<string, TokenBucket>();
  /** What the condition of a schema says that need not be written. */
  private readonly said = new WeakMap<Entry, { readonly name: string; readonly exists: boolean }>();

  constructor(parts: FlowControlReconcilerParts) {
    this.parts = parts;
    this.annotation = expandNames(autoUpdateAnnotation, parts.naming);
  }

  /** All of it. @throws StatusError, StorageError if etcd is unavailable */
  async reconcile(signal: AbortSignal): Promise<void> {
    await this.ensureObjects(signal);
    // With what was just created.
    const schemas = `${flowControlGroup(this.parts.naming)}/${flowSchemasPlural}`;
    await this.parts.storage.snapshot(schemas, { kind: 'mostRecent' }, signal);
    await this.updateDanglingConditions(signal);
  }

  /**
   * Creates missing objects and corrects wrong ones, if the group is served.
   * @throws StatusError if etcd is unavailable
   */
  async ensureObjects(signal: AbortSignal): Promise<void> {
    // Levels first: a schema without its level is ignored.
    for (const plural of [levelsPlural, flowSchemasPlural]) {
      const scope = this.scope(plural, signal);
      if (!scope) continue;
      const own = this.parts.objects.filter((wanted) => wanted.plural === plural);
      await Promise.all(own.map((wanted) => this.ensureUnlessDamaged(wanted, scope)));
    }
  }

  /**
   * Sets the Dangling condition of each schema.
   * @throws StatusError if etcd is unavailable
   */
  private async updateDanglingConditions(signal: AbortSignal): Promise<void> {
    const scope = this.scope(flowSchemasPlural, signal);
    if (!scope) return;
    const ofStatus = { ...scope, subresource: 'status', fieldManager: statusManager };
    const slice = new Slice();
    for (const entry of this.parts.entries(flowSchemasPlural)) {
      await slice.breathe();
      if (signal.aborted) return;
      if (this.isSaid(entry)) continue;
      await this.parts.damaged.skipIfDamaged(`${flowSchemasPlural}/${entry.key}`, async () => {
        const next = await this.withCondition(entry, () => slice.breathe());
        if (next) await unlessLost(this.replace(ofStatus, entry.key, shown(scope, next)));
      });
    }
  }

  private ensureUnlessDamaged(wanted: BootstrapFlowObject, scope: RequestScope): Promise<void> {
    return this.parts.damaged.skipIfDamaged(`${wanted.plural}/${wanted.name}`, () =>
      unlessLost(this.ensure(wanted, scope)),
    );
  }

  private async ensure(wanted: BootstrapFlowObject, scope: RequestScope): Promise<void> {
    const entry = this.parts.entry(wanted.plural, wanted.name);
    if (!entry) {
      await this.parts.verbs().create(scope, '', shown(scope, this.newObject(wanted)));
      return;
    }
    const slice = new Slice();
    const existing = await entryObjectInSlices(entry, () => slice.breathe());
    const next = reconcileFlowObject(existing, wanted, this.annotation);
    if (next && this.mayCorrect(wanted))
      await this.replace(scope, wanted.name, shown(scope, deepCopy(asJson(next))));
  }

  private replace(scope: RequestScope, name: string, object: JsonObject): Promise<unknown> {
    const elsewhere = this.parts.writesElsewhere?.write(scope, name, { operation: 'replace', object });
    return elsewhere ?? this.parts.verbs().replace(scope, name, object);
  }

  /** What may not now is right after a later round, of which there is one in each minute. */
  private mayCorrect({ plural, name }: BootstrapFlowObject): boolean {
    const key = `${plural}/${name}`;
    const bucket = this.corrected.get(key) ?? new TokenBucket(corrections, this.parts.clock);
    this.corrected.set(key, bucket);
    return bucket.tryTake();
  }

  /** The condition was right when it was last looked at, and its level is still there, or still missing. */
  private isSaid(entry: Entry): boolean {
    const level = this.said.get(entry);
    return level !== undefined && this.hasLevel(level.name) === level.exists;
  }

  /** What is in use comes a while after what is stored. */
  private hasLevel(name: string): boolean {
    return this.parts.entry(levelsPlural, name) !== undefined;
  }

  /** @param breathe awaited between slices of what is decoded */
  private async withCondition(
    entry: Entry,
    breathe: () => MaybePromise<void>,
  ): Promise<JsonObject | undefined> {
    const object = (await entryObjectInSlices(entry, breathe)) as ApiObject &
      Pick<FlowSchema, 'spec' | 'status'>;
    const name = object.spec?.priorityLevelConfiguration?.name ?? '';
    const level = { name, exists: this.hasLevel(name) };
    const now = formatSeconds(new Date(this.parts.clock.now()));
    const conditions = withDangling(object.status?.conditions ?? [], level, now);
    if (!conditions) this.said.set(entry, level);
    return conditions && asJson({ ...object, status: { ...object.status, conditions } });
  }

  private newObject({ name, spec }: BootstrapFlowObject): JsonObject {
    const annotations = this.parts.isAnnotated && { annotations: { [this.annotation]: 'true' } };
    return { metadata: { name, ...annotations }, spec: structuredClone(spec) as JsonObject };
  }

  private scope(plural: string, signal: AbortSignal): RequestScope | undefined {
    const resource = servedFlowControl(this.parts, plural);
    return resource && ownScope({ resource, signal, fieldManager: bootstrapManager });
  }
}

/** The version in which both kinds are served; undefined: the group is switched off. The stored one comes first. */
export function servedFlowControl(
  { catalogue, naming }: Pick<FlowControlReconcilerParts, 'catalogue' | 'naming'>,
  plural: string,
): ServedResource | undefined {
  for (const version of ['v1beta1', 'v1beta2', 'v1beta3', 'v1']) {
    const resource = catalogue.resource(flowControlGroup(naming), version, plural);
    if (resource) return resource;
  }
  return undefined;
}

/** The stored version has other words for shares than later ones. May change its argument. */
function shown({ resource: { conversion } }: RequestScope, object: JsonObject): JsonObject {
  return conversion.isInternal ? object : conversion.fromInternal(object);
}
