/** Deletes the content of a terminating namespace and returns what is left. */
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import { shortText } from '../../base/short-text.ts';
import { timeLimit } from '../../base/time-limit.ts';
import type { ApiObject } from '../../meta/object.ts';
import { ignoreNotFound } from '../../meta/object-errors.ts';
import { StatusError } from '../../meta/status.ts';
import { IncompleteDiscovery, type ApiClient, type ResourceRef } from '../types.ts';
import type { Remaining } from './namespace-conditions.ts';
import { deleteOrphanedPods, isPods } from './orphaned-pods.ts';

export interface ContentDeletion {
  readonly clock: Clock;
  readonly client: ApiClient;
  readonly namespace: string;
  /** How long the deletion of one resource's objects may take in one go; 60 s. */
  readonly resourceMs?: number;
  /** Nothing else goes before the pods have ended, which may need it (gate `OrderedNamespaceDeletion`). */
  readonly podsFirst: boolean;
}

const defaultResourceMs = 60_000;

/** Deletes everything in the namespace, then counts what is still there. */
export async function deleteAllContent(deletion: ContentDeletion, signal: AbortSignal): Promise<Remaining> {
  const found = await discovered(deletion.client, signal);
  const remove = (r: ResourceRef): Promise<Outcome> => deleteResourceContent(deletion, r, signal);
  const first = deletion.podsFirst ? await Promise.all(found.resources.filter(isPods).map(remove)) : [];
  if (first.some(isUnfinished)) return remainingOf(first, found.failure);
  const others = found.resources.filter((r) => !deletion.podsFirst || !isPods(r));
  return remainingOf([...first, ...(await Promise.all(others.map(remove)))], found.failure);
}

function isUnfinished({ items, failure }: Outcome): boolean {
  return items.length > 0 || failure !== '';
}

function remainingOf(outcomes: readonly Outcome[], discoveryFailure: string): Remaining {
  const objects = new Map<string, number>();
  const finalizers = new Map<string, number>();
  for (const { resource, items } of outcomes) {
    if (items.length > 0) objects.set(displayName(resource), items.length);
    for (const name of items.flatMap((item) => item.metadata.finalizers ?? [])) {
      finalizers.set(name, (finalizers.get(name) ?? 0) + 1);
    }
  }
  const failures = outcomes.flatMap((o) =>
    o.failure === '' ? [] : [`${displayName(o.resource)}: ${shortText(o.failure)}`],
  );
  return { objects, finalizers, failures, discoveryFailure };
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
  const canDelete = ({ namespaced, verbs }: ResourceRef): boolean => namespaced && verbs.includes('delete');
  try {
    return { resources: (await client.discover(signal)).filter(canDelete), failure: '' };
  } catch (error) {
    // What is known is emptied; the namespace stays until all is.
    const known = error instanceof IncompleteDiscovery ? error.resources : [];
    const failure = messageOf(error);
    const failing = error instanceof IncompleteDiscovery ? error.failing : 0;
    const opening = failing > 0 ? `Discovery failed for some groups, ${String(failing)} failing: ` : '';
    return { resources: known.filter(canDelete), failure: opening + failure };
  }
}

interface Outcome {
  readonly resource: ResourceRef;
  readonly items: readonly ApiObject[];
  readonly failure: string;
}

async function deleteResourceContent(
  { client, clock, namespace, resourceMs = defaultResourceMs }: ContentDeletion,
  resource: ResourceRef,
  signal: AbortSignal,
): Promise<Outcome> {
  // One that does not answer holds up neither the others nor the workers.
  using limit = timeLimit(clock, resourceMs, signal);
  const deadline = limit.signal;
  try {
    await deleteAll(client, resource, namespace, deadline);
    const left = await listed(client, resource, namespace, deadline);
    if (left.length === 0 || !isPods(resource)) return { resource, items: left, failure: '' };
    await deleteOrphanedPods(client, namespace, deadline);
    return { resource, items: await listed(client, resource, namespace, deadline), failure: '' };
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
  if (resource.verbs.includes('deletecollection')) {
    const deletion = client.deleteCollection(resource, namespace, signal);
    if (await isSupported(deletion)) return;
  }
  const failures: unknown[] = [];
  for (const item of await listed(client, resource, namespace, signal)) {
    const ref = { resource, namespace, name: item.metadata.name ?? '' };
    const deletion = client.delete(ref, { propagationPolicy: 'Background' }, signal);
    await ignoreNotFound(ref, deletion).catch((error: unknown) => failures.push(error));
    signal.throwIfAborted();
  }
  if (failures.length > 0) throw failures[0];
}

/** None of a resource that cannot be listed, whatever discovery says. */
async function listed(
  client: ApiClient,
  resource: ResourceRef,
  namespace: string,
  signal: AbortSignal,
): Promise<readonly ApiObject[]> {
  if (!resource.verbs.includes('list')) return [];
  let items: readonly ApiObject[] = [];
  const listing = client.listMetadata(resource, namespace, signal).then((list) => {
    ({ items } = list);
  });
  await isSupported(listing);
  return items;
}

/** False for a verb that discovery names and the server does not know: 404 or 405. @throws every other error */
async function isSupported(call: Promise<void>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (error instanceof StatusError && (error.code === 404 || error.code === 405)) return false;
    throw error;
  }
}
