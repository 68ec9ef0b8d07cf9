/**
 * Keeps objects that are deleted while something uses them: their finalizer goes once nothing does. Objects that came to
 * be without it get it.
 *
 *   object marked as deleted ──▶ is it used? ──no──▶ the finalizer goes
 *   a user of it went        ──▶      └─yes──▶ wait for the next change
 *
 * Users are looked at once for all objects of a namespace that wait: there may be thousands of both.
 */
import type { ApiObject } from '../../meta/object.ts';
import { ignoreTerminating } from '../per-namespace.ts';
import { reflect } from '../reflector.ts';
import type { Controller, ControllerContext, MetadataEvent, ResourceRef } from '../types.ts';
import { WorkQueue } from '../work-queue.ts';

export interface InUseProtectionOptions extends ControllerContext {
  /** Of the controller. */
  readonly name: string;
  readonly resource: ResourceRef;
  readonly finalizer: string;
  /** Whether a current object that is being deleted shows itself that nothing uses it; absent where only users show it. */
  readonly isFree?: (object: ApiObject) => boolean;
  readonly users?: Users;
}

/** What uses the objects of its namespace. */
export interface Users {
  readonly resource: ResourceRef;
  /** The names of those that no user has now. */
  readonly findUnused: (
    namespace: string,
    going: ReadonlyMap<string, Going>,
    signal: AbortSignal,
  ) => Promise<Iterable<string>>;
}

/** What users are compared with of an object that is being deleted. */
export interface Going {
  readonly uid: string;
  /** Of its controller; '' if it has none. */
  readonly controllerUid: string;
}

export function createInUseProtection(options: InUseProtectionOptions): Controller {
  return { name: options.name, run: (signal) => new InUseProtection(options).run(signal) };
}

class InUseProtection {
  private readonly options: InUseProtectionOptions;
  /** `<namespace>/<name>` of objects, and `<namespace>/` for those that wait there for their users to go. */
  private readonly queue: WorkQueue<string>;
  /** By namespace and name. */
  private readonly waiting = new Map<string, Map<string, Going>>();

  constructor(options: InUseProtectionOptions) {
    this.options = options;
    const { name, clock, log, metrics } = options;
    this.queue = new WorkQueue({
      ...{ name, workers: 2, clock, log, metrics },
      handle: async (key, signal) => {
        const slash = key.indexOf('/');
        const [namespace, own] = [key.slice(0, slash), key.slice(slash + 1)];
        if (own === '') await this.syncWaiting(namespace, signal);
        else await this.sync(namespace, own, signal);
        return undefined;
      },
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { client, clock, log, resource, users } = this.options;
    const follow = (of: ResourceRef, onEvent: (event: MetadataEvent) => void): Promise<void> =>
      reflect({ client, clock, log, onSynced: () => undefined, resource: of, onEvent }, signal);
    await Promise.all([
      follow(resource, (event) => this.note(event)),
      ...(users ? [follow(users.resource, (event) => this.noteUser(event))] : []),
      this.queue.run(signal),
    ]);
  }

  private note({ type, object }: MetadataEvent): void {
    const { namespace = '', name = '', deletionTimestamp, finalizers } = object.metadata;
    const isProtected = type !== 'DELETED' && (finalizers ?? []).includes(this.options.finalizer);
    const isGoing = deletionTimestamp != null;
    const isWaiting = isProtected && isGoing && this.options.users !== undefined;
    this.setWaiting(namespace, name, isWaiting ? goingOf(object) : undefined);
    if (type !== 'DELETED' && isProtected === isGoing)
      this.queue.add(`${namespace}/${isWaiting ? '' : name}`);
  }

  /** One that stays uses what it used before. */
  private noteUser({ type, object }: MetadataEvent): void {
    const { namespace = '', deletionTimestamp } = object.metadata;
    const isLeaving = type === 'DELETED' || deletionTimestamp != null;
    if (isLeaving && this.waiting.has(namespace)) this.queue.add(`${namespace}/`);
  }

  private setWaiting(namespace: string, name: string, going: Going | undefined): void {
    const names = this.waiting.get(namespace) ?? new Map<string, Going>();
    if (going) names.set(name, going);
    else names.delete(name);
    if (names.size > 0) this.waiting.set(namespace, names);
    else this.waiting.delete(namespace);
  }

  /** Users are looked at after their objects were seen as deleted. One that cannot be written does not keep the others. */
  private async syncWaiting(namespace: string, signal: AbortSignal): Promise<void> {
    const going = new Map(this.waiting.get(namespace));
    if (going.size === 0) return;
    const failures: unknown[] = [];
    for (const name of (await this.options.users?.findUnused(namespace, going, signal)) ?? []) {
      const isFree = ({ metadata }: ApiObject): boolean => metadata.uid === going.get(name)?.uid;
      await this.sync(namespace, name, signal, isFree).catch((error: unknown) => failures.push(error));
      signal.throwIfAborted();
    }
    if (failures.length > 0) throw failures[0];
  }

  /** An earlier write makes this a conflict, and it is retried. */
  private async sync(
    namespace: string,
    name: string,
    signal: AbortSignal,
    isFree = this.options.isFree,
  ): Promise<void> {
    const { client, resource, finalizer } = this.options;
    const ref = { resource, namespace, name };
    const object = await client.get(ref, signal);
    if (!object) return;
    const finalizers = object.metadata.finalizers ?? [];
    const isProtected = finalizers.includes(finalizer);
    const isGoing = object.metadata.deletionTimestamp != null;
    if (isProtected !== isGoing || (isGoing && isFree?.(object) !== true)) return;
    const next = isGoing ? finalizers.filter((other) => other !== finalizer) : [...finalizers, finalizer];
    const metadata = { ...object.metadata, finalizers: next };
    await ignoreTerminating(async () => {
      await client.update(ref, { ...object, metadata }, '', signal);
    });
  }
}

function goingOf({ metadata }: ApiObject): Going {
  const { uid = '', ownerReferences } = metadata;
  return { uid, controllerUid: ownerReferences?.find(({ controller }) => controller === true)?.uid ?? '' };
}
