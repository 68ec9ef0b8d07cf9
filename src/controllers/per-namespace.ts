/** Controllers that keep one object of a given name in every namespace. */
import type { ApiObject } from '../meta/object.ts';
import { ObjectNotFound } from '../meta/object-errors.ts';
import { StatusError } from '../meta/status.ts';
import { namespaces } from './core-resources.ts';
import { reflect } from './reflector.ts';
import type { Controller, ControllerContext, MetadataEvent, ResourceRef } from './types.ts';
import { WorkQueue } from './work-queue.ts';

export interface PerNamespaceOptions extends ControllerContext {
  /** Of the controller. */
  readonly name: string;
  readonly resource: ResourceRef;
  readonly objectName: string;
  /** What the object holds beside its metadata. It is restored when another writer changed it. */
  readonly content: Readonly<Record<string, unknown>>;
  readonly isRight: (object: ApiObject) => boolean;
}

export function createPerNamespaceController(options: PerNamespaceOptions): Controller {
  return { name: options.name, run: (signal) => run(options, signal) };
}

async function run(options: PerNamespaceOptions, signal: AbortSignal): Promise<void> {
  const { client, clock, log, metrics, name, resource, objectName } = options;
  const queue = new WorkQueue<string>({
    ...{ name, workers: 4, clock, log, metrics },
    handle: async (namespace, stop) => {
      await ignoreTerminating(() => sync(options, namespace, stop));
      return undefined;
    },
  });
  const onSynced = (): void => undefined;
  const onNamespace = ({ type, object }: MetadataEvent): void => {
    if (type !== 'DELETED') queue.add(object.metadata.name ?? '');
  };
  const onObject = ({ object }: MetadataEvent): void => queue.add(object.metadata.namespace ?? '');
  const fieldSelector = `metadata.name=${objectName}`;
  await Promise.all([
    reflect({ client, clock, log, onSynced, resource: namespaces, onEvent: onNamespace }, signal),
    reflect({ client, clock, log, onSynced, resource, fieldSelector, onEvent: onObject }, signal),
    queue.run(signal),
  ]);
}

async function sync(options: PerNamespaceOptions, namespace: string, signal: AbortSignal): Promise<void> {
  const { client, resource, objectName: name, content } = options;
  const home = await client.get({ resource: namespaces, namespace: '', name: namespace }, signal);
  if (!home || home.metadata.deletionTimestamp != null) return;
  const ref = { resource, namespace, name };
  const found = await client.get(ref, signal);
  if (found === undefined) {
    const head = { apiVersion: resource.version, kind: resource.kind, metadata: { name, namespace } };
    await client.create(resource, namespace, { ...head, ...content }, signal);
  } else if (!options.isRight(found)) await client.update(ref, { ...found, ...content }, '', signal);
}

/** Does work in a namespace, which may be on its way out: nothing is made there any more, and nothing has to be. */
export async function ignoreTerminating(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ObjectNotFound) && !isTerminating(error)) throw error;
  }
}

function isTerminating(error: unknown): boolean {
  const causes = error instanceof StatusError ? (error.status.details?.causes ?? []) : [];
  return causes.some((cause) => cause.reason === 'NamespaceTerminating');
}
