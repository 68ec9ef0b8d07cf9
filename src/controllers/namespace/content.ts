/** Removes what is inside a terminating namespace and tells what is left. */
import { messageOf } from '../../base/errors.ts';
import type { ApiObject } from '../../meta/object.ts';
import { unlessMissing } from '../../meta/object-errors.ts';
import type { ApiClient, ResourceRef } from '../types.ts';
import type { Remaining } from './conditions.ts';

/** Asks for deletion of everything in the namespace, then counts what is still there. */
export async function emptyNamespace(
  client: ApiClient,
  namespace: string,
  signal: AbortSignal,
): Promise<Remaining> {
  const found = await discovered(client, signal);
  const outcomes = await Promise.all(found.resources.map((r) => emptyResource(client, r, namespace, signal)));
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
  try {
    const all = await client.discover(signal);
    return {
      resources: all.filter((r) => r.namespaced && r.verbs.includes('delete') && r.verbs.includes('list')),
      failure: '',
    };
  } catch (error) {
    return { resources: [], failure: messageOf(error) };
  }
}

interface Outcome {
  readonly resource: ResourceRef;
  readonly items: readonly ApiObject[];
  readonly failure: string;
}

async function emptyResource(
  client: ApiClient,
  resource: ResourceRef,
  namespace: string,
  signal: AbortSignal,
): Promise<Outcome> {
  try {
    await deleteAll(client, resource, namespace, signal);
    const { items } = await client.listMetadata(resource, namespace, signal);
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
  for (const item of items) {
    const ref = { resource, namespace, name: item.metadata.name ?? '' };
    await unlessMissing(ref, client.delete(ref, {}, signal));
  }
}
