/**
 * Keeps objects that are deleted while something uses them: their finalizer goes once nothing does. Objects that came to
 * be without it get it.
 *
 *   object marked as deleted ──▶ is it used? ──no──▶ the finalizer goes
 *   a user of it changed     ──▶      └─yes──▶ wait for the next change
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
  /** What uses the objects of its namespace. Absent: the object itself shows it. */
  readonly users?: ResourceRef;
  /** Called for an object that is being deleted; uses the current objects. */
  readonly isUsed: (object: ApiObject, signal: AbortSignal) => boolean | Promise<boolean>;
}

export function createInUseProtection(options: InUseProtectionOptions): Controller {
  return { name: options.name, run: (signal) => new InUseProtection(options).run(signal) };
}

class InUseProtection {
  private readonly options: InUseProtectionOptions;
  private readonly queue: WorkQueue<string>;
  /** Names of objects that wait for their users to go, by namespace. */
  private readonly waiting = new Map<string, Set<string>>();

  constructor(options: InUseProtectionOptions) {
    this.options = options;
    const { name, clock, log, metrics } = options;
    this.queue = new WorkQueue({
      ...{ name, workers: 2, clock, log, metrics },
      handle: async (key, signal) => {
        const slash = key.indexOf('/');
        await ignoreTerminating(() => this.sync(key.slice(0, slash), key.slice(slash + 1), signal));
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
      ...(users ? [follow(users, (event) => this.noteUser(event))] : []),
      this.queue.run(signal),
    ]);
  }

  private note({ type, object }: MetadataEvent): void {
    const { namespace = '', name = '', deletionTimestamp, finalizers } = object.metadata;
    const isProtected = type !== 'DELETED' && (finalizers ?? []).includes(this.options.finalizer);
    const isGoing = deletionTimestamp != null;
    this.setWaiting(namespace, name, isProtected && isGoing);
    if (type !== 'DELETED' && isProtected === isGoing) this.queue.add(`${namespace}/${name}`);
  }

  private noteUser({ object }: MetadataEvent): void {
    const { namespace = '' } = object.metadata;
    for (const name of this.waiting.get(namespace) ?? []) this.queue.add(`${namespace}/${name}`);
  }

  private setWaiting(namespace: string, name: string, isWaiting: boolean): void {
    const names = this.waiting.get(namespace) ?? new Set();
    if (isWaiting) names.add(name);
    else names.delete(name);
    if (names.size > 0) this.waiting.set(namespace, names);
    else this.waiting.delete(namespace);
  }

  /** An earlier write makes this a conflict, and it is retried. */
  private async sync(namespace: string, name: string, signal: AbortSignal): Promise<void> {
    const { client, resource, finalizer, isUsed } = this.options;
    const ref = { resource, namespace, name };
    const object = await client.get(ref, signal);
    if (!object) return;
    const finalizers = object.metadata.finalizers ?? [];
    const isProtected = finalizers.includes(finalizer);
    const isGoing = object.metadata.deletionTimestamp != null;
    if (isProtected !== isGoing || (isGoing && (await isUsed(object, signal)))) return;
    const next = isGoing ? finalizers.filter((other) => other !== finalizer) : [...finalizers, finalizer];
    const metadata = { ...object.metadata, finalizers: next };
    await client.update(ref, { ...object, metadata }, '', signal);
  }
}
