/**
 * Namespace life cycle: the content of a deleted namespace is deleted, its conditions report what is left, and when
 * nothing is left its finalizer is removed, after which the service removes the namespace.
 */
import { isDeepStrictEqual } from 'node:util';
import type { ApiObject } from '../../meta/object.ts';
import { ignoreNotFound } from '../../meta/object-errors.ts';
import { reflect } from '../reflector.ts';
import type { Controller, ControllerContext, ObjectRef, ResourceRef } from '../types.ts';
import { WorkQueue } from '../work-queue.ts';
import type { NamespaceCondition, Remaining } from './namespace-conditions.ts';
import { namespaceConditions } from './namespace-conditions.ts';
import { deleteAllContent, isEmpty } from './delete-content.ts';

export interface NamespaceControllerOptions extends ControllerContext {
  readonly namespaces: ResourceRef;
  /** The finalizers in `spec.finalizers` that this controller removes: today's, and those of earlier builds. */
  readonly finalizers: readonly string[];
  /** How long the deletion of one resource's objects may take in one go; 60 s. */
  readonly resourceMs?: number;
  /** Whether nothing else goes before the pods; absent: as the release of the server does, 1.33 and later. */
  readonly podsFirst?: boolean | undefined;
}

/** The release that has the gate `OrderedNamespaceDeletion` on. */
const podsFirstSince = 33;

/**
 * Objects with finalizers or grace periods need time: how soon to look again, and how late at most where nothing changes
 * (the reference: 8 s). A look costs two requests for each resource.
 */
const firstRequeueMs = 1_000;
const maxRequeueMs = 8_000;

export function createNamespaceController(options: NamespaceControllerOptions): Controller {
  return { name: 'namespace', run: (signal) => runNamespaceController(options, signal) };
}

async function runNamespaceController(
  options: NamespaceControllerOptions,
  signal: AbortSignal,
): Promise<void> {
  const { client, clock, namespaces: resource, log, metrics } = options;
  const backoff = new RequeueBackoff();
  const queue = new WorkQueue<string>({
    ...{ name: 'namespace', workers: 4, clock, log, metrics },
    handle: async (name, stop) =>
      backoff.next(name, await syncNamespace(options, { resource, namespace: '', name }, stop)),
  });
  const onEvent = ({ type, object }: { type: string; object: ApiObject }): void => {
    if (type !== 'DELETED' && object.metadata.deletionTimestamp != null)
      queue.add(object.metadata.name ?? '');
  };
  const onSynced = (): void => undefined;
  await Promise.all([
    reflect({ client, clock, resource, onEvent, onSynced, log }, signal),
    queue.run(signal),
  ]);
}

/** When to look at a namespace again: later and later while the same is left of it. */
class RequeueBackoff {
  private readonly before = new Map<string, { readonly left: string; readonly pauseMs: number }>();

  /** @returns milliseconds; undefined where nothing is left */
  next(name: string, remaining: Remaining | undefined): number | undefined {
    const before = this.before.get(name);
    this.before.delete(name);
    if (!remaining) return undefined;
    const left = JSON.stringify([[...remaining.objects], [...remaining.finalizers]]);
    const isSame = before?.left === left;
    const pauseMs = isSame ? Math.min(before.pauseMs * 2, maxRequeueMs) : firstRequeueMs;
    this.before.set(name, { left, pauseMs });
    return pauseMs;
  }
}

/** @returns what is left; undefined: nothing, or the namespace is none of those to be emptied */
async function syncNamespace(
  options: NamespaceControllerOptions,
  ref: ObjectRef,
  signal: AbortSignal,
): Promise<Remaining | undefined> {
  const namespace = await options.client.get(ref, signal);
  if (namespace?.metadata.deletionTimestamp == null) return undefined;
  if (!finalizersOf(namespace).some((name) => options.finalizers.includes(name))) return undefined;
  const { client, clock, resourceMs } = options;
  const podsFirst = options.podsFirst ?? (await client.minorVersion(signal)) >= podsFirstSince;
  const about = { client, clock, podsFirst, namespace: ref.name };
  const deletion = { ...about, ...(resourceMs !== undefined && { resourceMs }) };
  const remaining = await deleteAllContent(deletion, signal);
  if (isEmpty(remaining)) {
    await ignoreNotFound(ref, finalize(options, ref, namespace, signal));
    return undefined;
  }
  await ignoreNotFound(ref, report(options, ref, remaining, signal));
  return remaining;
}

function finalizersOf(namespace: ApiObject): readonly string[] {
  const { finalizers } = (namespace['spec'] ?? {}) as { finalizers?: string[] | null };
  return finalizers ?? [];
}

async function finalize(
  options: NamespaceControllerOptions,
  ref: ObjectRef,
  namespace: ApiObject,
  signal: AbortSignal,
): Promise<void> {
  const finalizers = finalizersOf(namespace).filter((name) => !options.finalizers.includes(name));
  // Reporting may have written the status since: the newest object is the one to finalize.
  const newest = (await options.client.get(ref, signal)) ?? namespace;
  await options.client.update(ref, { ...newest, spec: { finalizers } }, 'finalize', signal);
  options.log.info({ namespace: ref.name }, 'namespace is empty and finalized');
}

async function report(
  options: NamespaceControllerOptions,
  ref: ObjectRef,
  remaining: Remaining,
  signal: AbortSignal,
): Promise<void> {
  const newest = await options.client.get(ref, signal);
  if (newest === undefined) return;
  const status = (newest['status'] ?? {}) as { conditions?: NamespaceCondition[] | null };
  const now = new Date(options.clock.now()).toISOString().replace(/\.\d{3}Z$/, 'Z');
  const before = status.conditions ?? [];
  const conditions = namespaceConditions(remaining, before, now);
  // Each write is an event that queues the namespace again.
  if (isDeepStrictEqual(conditions, before)) return;
  await options.client.update(ref, { ...newest, status: { ...status, conditions } }, 'status', signal);
}
