/**
 * Tells of owner references that can never hold: an owner is in its dependent's namespace or in none. The dependent's
 * users find an event beside it, one for each such reference however often it is looked at.
 */
import { createHash } from 'node:crypto';
import type { PassiveClock } from '../../base/clock.ts';
import { parseApiVersion } from '../../meta/gvk.ts';
import type { ApiObject, OwnerReference } from '../../meta/object.ts';
import { ObjectAlreadyExists } from '../../meta/object-errors.ts';
import { formatSeconds } from '../../meta/time.ts';
import type { ApiClient, ControllerLog, ResourceRef } from '../types.ts';
import type { GraphNode } from './graph.ts';

export interface OwnerEventOptions {
  readonly clock: PassiveClock;
  readonly client: ApiClient;
  readonly log: ControllerLog;
  /** The resource of events; undefined while none is served. */
  readonly events: () => ResourceRef | undefined;
}

const component = 'garbage-collector-controller';
const reason = 'OwnerRefInvalidNamespace';

/** Writes the event; a failure is logged, for the collector's work does not rest on it. */
export async function reportOwnerNamespace(
  { client, clock, log, events }: OwnerEventOptions,
  { node, owner }: { readonly node: GraphNode; readonly owner: OwnerReference },
  signal: AbortSignal,
): Promise<void> {
  const resource = events();
  if (!resource) return;
  const event = eventOf(node, owner, new Date(clock.now()));
  try {
    await client.create(resource, event.metadata.namespace ?? '', event, signal);
  } catch (error) {
    if (error instanceof ObjectAlreadyExists) return;
    log.warn({ err: error, name: node.identity.name }, 'an event could not be written');
  }
}

function eventOf(node: GraphNode, owner: OwnerReference, at: Date): ApiObject {
  const { apiVersion, kind, namespace, name } = node.identity;
  const digest = createHash('sha256').update(`${node.uid} ${owner.uid}`).digest('hex').slice(0, 16);
  const now = formatSeconds(at);
  // Events about cluster-scoped objects are stored in this namespace.
  const home = namespace === '' ? 'default' : namespace;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${name.slice(0, 200)}.${digest}`, namespace: home },
    involvedObject: { apiVersion, kind, namespace, name, uid: node.uid },
    ...{ reason, message: messageOf(namespace, owner), type: 'Warning' },
    ...{ source: { component }, firstTimestamp: now, lastTimestamp: now, count: 1 },
  };
}

function messageOf(namespace: string, owner: OwnerReference): string {
  const { group = '', version = owner.apiVersion } = parseApiVersion(owner.apiVersion) ?? {};
  const gv = group === '' ? version : `${group}/${version}`;
  const where = namespace === '' ? '' : `, namespace: ${namespace}`;
  const problem =
    namespace === ''
      ? 'is in a namespace, its dependent is not'
      : `does not exist in namespace "${namespace}"`;
  return `ownerRef [${gv}/${owner.kind}${where}, name: ${owner.name}, uid: ${owner.uid}] ${problem}`;
}
