/**
 * Namespace life cycle: a namespace that was deleted is emptied, its conditions tell what is left, and when nothing
 * is left its own finalizer goes, upon which the service removes it.
 */
import type { ApiObject } from '../../meta/object.ts';
import { unlessMissing } from '../../meta/object-errors.ts';
import { reflect } from '../reflector.ts';
import type {
  ApiClient,
  Controller,
  ControllerLog,
  ControllerMetrics,
  ObjectRef,
  ResourceRef,
} from '../types.ts';
import { WorkQueue } from '../work-queue.ts';
import type { NamespaceCondition, Remaining } from './conditions.ts';
import { namespaceConditions } from './conditions.ts';
import { emptyNamespace, isEmpty } from './content.ts';

export interface NamespaceControllerOptions {
  readonly client: ApiClient;
  readonly namespaces: ResourceRef;
  /** The finalizer in `spec.finalizers` that this controller removes. */
  readonly finalizer: string;
  readonly log: ControllerLog;
  readonly metrics: ControllerMetrics;
}

/** Objects with finalizers or grace periods need time: how soon to look again. */
const lookAgainMs = 1_000;

export function createNamespaceController(options: NamespaceControllerOptions): Controller {
  return { name: 'namespace', run: (signal) => runNamespaceController(options, signal) };
}

async function runNamespaceController(
  options: NamespaceControllerOptions,
  signal: AbortSignal,
): Promise<void> {
  const { client, namespaces: resource, log, metrics } = options;
  const queue = new WorkQueue<string>({
    ...{ name: 'namespace', workers: 4, log, metrics },
    handle: (name, stop) => syncNamespace(options, { resource, namespace: '', name }, stop),
  });
  const onEvent = ({ type, object }: { type: string; object: ApiObject }): void => {
    if (type !== 'DELETED' && object.metadata.deletionTimestamp != null)
      queue.add(object.metadata.name ?? '');
  };
  const onSynced = (): void => undefined;
  await Promise.all([reflect({ client, resource, onEvent, onSynced, log }, signal), queue.run(signal)]);
}

/** @returns when to look again, in milliseconds */
async function syncNamespace(
  options: NamespaceControllerOptions,
  ref: ObjectRef,
  signal: AbortSignal,
): Promise<number | undefined> {
  const namespace = await options.client.get(ref, signal);
  if (namespace?.metadata.deletionTimestamp == null) return undefined;
  if (!finalizersOf(namespace).includes(options.finalizer)) return undefined;
  const remaining = await emptyNamespace(options.client, ref.name, signal);
  if (isEmpty(remaining)) {
    await unlessMissing(ref, finalize(options, ref, namespace, signal));
    return undefined;
  }
  await unlessMissing(ref, report(options, ref, remaining, signal));
  return lookAgainMs;
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
  const finalizers = finalizersOf(namespace).filter((f) => f !== options.finalizer);
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
  const now = new Date().toISOString().replace(/\.\d{3}Z$/, 'Z');
  const conditions = namespaceConditions(remaining, status.conditions ?? [], now);
  await options.client.update(ref, { ...newest, status: { ...status, conditions } }, 'status', signal);
}
