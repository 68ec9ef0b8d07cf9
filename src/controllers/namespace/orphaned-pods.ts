/**
 * Terminating pods that no node agent will end: those without a node, and those of a node that is gone. The namespace
 * controller deletes them without grace, as pod garbage collection does, which this service leaves to a controller manager.
 */
import type { Pod as PodFields } from '../../api/core/v1.types.ts';
import type { Stored } from '../../api/define.ts';
import { ignoreNotFound } from '../../meta/object-errors.ts';
import { coreResource } from '../core-resources.ts';
import type { ApiClient, ResourceRef } from '../types.ts';

type Pod = Stored<PodFields>;

interface Terminating {
  readonly name: string;
  readonly uid: string;
  readonly nodeName: string;
}

const pods = coreResource('Pod', 'pods');
const nodes = coreResource('Node', 'nodes', false);

export function isPods({ group, resource }: ResourceRef): boolean {
  return group === pods.group && resource === pods.resource;
}

/** Resolves when those of the namespace have been asked to go. @throws StatusError */
export async function deleteOrphanedPods(
  client: ApiClient,
  namespace: string,
  signal: AbortSignal,
): Promise<void> {
  const terminating: Terminating[] = [];
  const onItem = ({ metadata, spec }: Pod): void => {
    const { name = '', uid = '' } = metadata;
    if (isTerminating({ metadata })) terminating.push({ name, uid, nodeName: spec?.nodeName ?? '' });
  };
  // The list is read to its end before anything is deleted: pages that wait for deletions may expire.
  await client.eachObject(pods, { namespace, onItem }, signal);
  const known = new KnownNodes(client, signal);
  for (const { name, uid, nodeName } of terminating) {
    if (nodeName !== '' && (await known.has(nodeName))) continue;
    const ref = { resource: pods, namespace, name };
    await ignoreNotFound(ref, client.delete(ref, { uid, gracePeriodSeconds: 0 }, signal));
    signal.throwIfAborted();
  }
}

/** One that has no grace left is gone as soon as its finalizers are. */
function isTerminating({ metadata }: Pick<Pod, 'metadata'>): boolean {
  return metadata.deletionTimestamp != null && metadata.deletionGracePeriodSeconds !== 0;
}

/** Each node is read once, live: a list may be older than the node. */
class KnownNodes {
  private readonly client: ApiClient;
  private readonly signal: AbortSignal;
  private readonly read = new Map<string, boolean>();

  constructor(client: ApiClient, signal: AbortSignal) {
    this.client = client;
    this.signal = signal;
  }

  async has(name: string): Promise<boolean> {
    let isThere = this.read.get(name);
    if (isThere === undefined) {
      isThere = (await this.client.get({ resource: nodes, namespace: '', name }, this.signal)) !== undefined;
      this.read.set(name, isThere);
    }
    return isThere;
  }
}
