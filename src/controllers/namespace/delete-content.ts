/** Deletes the content of a terminating namespace and returns what is left. */
import { messageOf } from '../../base/errors.ts';
import type { ApiObject } from '../../meta/object.ts';
import { ignoreNotFound } from '../../meta/object-errors.ts';
import { IncompleteDiscovery, type ApiClient, type ResourceRef } from '../types.ts';
import type { Remaining } from './namespace-conditions.ts';
import { deleteOrphanedPods, isPods } from './orphaned-pods.ts';

export interface ContentDeletion {
  readonly client: ApiClient;
  readonly namespace: string;
  /** How long the deletion of one resource's objects may take in one go; 60 s. */
  readonly resourceMs?: number;
}

const defaultResourceMs = 60_000;

/** Deletes everything in the namespace, then counts what is still there. */
export async function deleteAllContent(deletion: ContentDeletion, signal: AbortSignal): Promise<Remaining> {
  const found = await discovered(deletion.client, signal);
  const outcomes = await Promise.all(found.resources.map((r) => deleteResourceContent(deletion, r, signal)));
  const objects = new Map<string, number>();
  const finalizers = new Map<string, number>();
  for (const { resource, items } of outcomes) {
    if (items.length > 0) objects.set(displayName(resource), items.length);
    for (const name of items.flatMap((item) => item.metadata.finalizers ?? [])) {
      finalizers.set(name, (finalizers.get(name) ?? 0) + 1);
    }
  }
  const failures = outcomes.flatMap((o) =>
    o.failure === '' ? [] : [`${displayName(o.resource)}: ${o.failure}`],
  );
  return { objects, finalizers, failures, discoveryFailure: found.failure };
}

/** Whether nothing is left, as far as can be known. */
export function isEmpty(remaining: Remaining): boolean {
  return remaining.objects.size === 0 && remaining.failures.length === 0 && remaining.discoveryFailure === '';
}

function displayName(resource: ResourceRef): string {
  return resource.group === '' ? `${resource.resource}.` : `${resource.resource}.${resource.group}`;
}

async function discovered(
  client: ApiClient,
  signal: AbortSignal,
): Promise<{ resources: ResourceRef[]; failure: string }> {
  const canDelete = ({ namespaced, verbs }: ResourceRef): boolean =>
    namespaced && verbs.includes('delete') && verbs.includes('list');
  try {
    return { resources: (await client.discover(signal)).filter(canDelete), failure: '' };
  } catch (error) {
    // What is known is emptied; the namespace stays until all is.
    const known = error instanceof IncompleteDiscovery ? error.resources : [];
    return { resources: known.filter(canDelete), failure: messageOf(error) };
  }
}

interface Outcome {
  readonly resource: ResourceRef;
  readonly items: readonly ApiObject[];
  readonly failure: string;
}

async function deleteResourceContent(
  { client, namespace, resourceMs = defaultResourceMs }: ContentDeletion,
  resource: ResourceRef,
  signal: AbortSignal,
): Promise<Outcome> {
  // One that does not answer holds up neither the others nor the workers.
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(resourceMs)]);
  try {
    await deleteAll(client, resource, namespace, deadline);
    const left = await client.listMetadata(resource, namespace, deadline);
    if (left.items.length === 0 || !isPods(resource)) return { resource, items: left.items, failure: '' };
    await deleteOrphanedPods(client, namespace, deadline);
    const { items } = await client.listMetadata(resource, namespace, deadline);
    return { resource, items, failure: '' };
  } catch (error) {
    return { resource, items: [], failure: messageOf(error) };
  }
}

async function deleteAll(
  client: ApiClient,
  resource: ResourceRef,
  namespace: string,
  signal: AbortSignal,
): Promise<void> {
  if (resource.verbs.includes('deletecollection'))
    return client.deleteCollection(resource, namespace, signal);
  const { items } = await client.listMetadata(resource, namespace, signal);
  const failures: unknown[] = [];
  for (const item of items) {
    const ref = { resource, namespace, name: item.metadata.name ?? '' };
    await ignoreNotFound(ref, client.delete(ref, {}, signal)).catch((error: unknown) => failures.push(error));
    signal.throwIfAborted();
  }
  if (failures.length > 0) throw failures[0];
}
