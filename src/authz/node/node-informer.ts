/** Informer of the node graph: follows pods, nodes, volumes and attachments in the replica's watch cache. */
import type { Environment } from '../../base/environment.ts';
import { eventLoop } from '../../base/event-loop.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import type { Entry, Storage } from '../../storage/types.ts';
import { followIntoIndex, type FollowedIndex } from '../index-follower.ts';
import { NodeGraph, type PlacedResource } from './node-graph.ts';
import { configMapOfNode, nodeNamedBy, referencesOfPod, referencesOfVolume } from './node-references.ts';

export interface NodeInformerOptions extends Environment {
  readonly storage: Pick<Storage, 'watch'>;
  readonly naming: NamingProfile;
  readonly warn: (details: object, message: string) => void;
  readonly observe: ObserveGraph;
  readonly follows?: FollowedKinds;
}

/** Kinds of later releases that nodes use. */
export interface FollowedKinds {
  /** ResourceClaims of pods, and ResourceSlices (feature gate `DynamicResourceAllocation`). */
  readonly claims?: boolean;
  /** PodCertificateRequests (feature gate of this name). */
  readonly podCertificates?: boolean;
}

/** Told of each change of the graph, by the names of kube-apiserver, and how long it took. */
export type ObserveGraph = (operation: GraphOperation, seconds: number) => void;

type GraphOperation =
  | `${'Add' | 'Delete'}${'Pod' | 'PV' | 'VolumeAttachment' | 'ResourceSlice' | 'PodCertificateRequest'}`
  | 'SetNodeConfigMap';

export interface NodeInformer {
  readonly graph: NodeGraph;
  /** Resolves when the graph holds the state of all resources for the first time. */
  readonly loaded: Promise<void>;
  /** Ends the watches. */
  close(): void;
}

/** Starts the informer; the caller closes it. */
export function startNodeInformer(options: NodeInformerOptions): NodeInformer {
  const { naming, observe } = options;
  const graph = new NodeGraph();
  const stopping = new AbortController();
  const { signal } = stopping;
  const loads = Object.entries(followedBy(graph, naming, observe, options.follows)).map(
    ([collection, index]) => followIntoIndex(index, { ...options, collection, signal }).loaded,
  );
  return {
    graph,
    loaded: Promise.all(loads).then(() => undefined),
    close: () => {
      stopping.abort();
    },
  };
}

/** What the graph holds, by collection. */
export function followedBy(
  graph: NodeGraph,
  naming: NamingProfile,
  observe: ObserveGraph,
  follows: FollowedKinds = {},
): Readonly<Record<string, FollowedIndex>> {
  const timed = (operation: GraphOperation, change: () => void): void => {
    const since = eventLoop().now();
    change();
    observe(operation, (eventLoop().now() - since) / 1_000);
  };
  return {
    ...laterIndexes(graph, naming, { follows, timed }),
    'core/pods': {
      keys: () => graph.keys('pods'),
      put: (entry, isChange) => {
        if (isChange && graph.hasPod(entry.key) && !hasGrown(entry, follows)) return;
        timed('AddPod', () => graph.putPod(entry.key, referencesOfPod(entry, naming)));
      },
      remove: (key) => {
        timed('DeletePod', () => graph.removePod(key));
      },
    },
    'core/nodes': {
      keys: () => graph.keys('nodes'),
      put: (entry) => {
        timed('SetNodeConfigMap', () => graph.putConfig(entry.key, configMapOfNode(entry)));
      },
      remove: (key) => {
        timed('SetNodeConfigMap', () => graph.removeConfig(key));
      },
    },
    'core/persistentvolumes': {
      keys: () => graph.keys('persistentvolumes'),
      put: (entry) => {
        timed('AddPV', () => graph.putVolume(entry.key, referencesOfVolume(entry)));
      },
      remove: (key) => {
        timed('DeletePV', () => graph.removeVolume(key));
      },
    },
    [`storage.${naming.apiDomain}/volumeattachments`]: {
      keys: () => graph.keys('volumeattachments'),
      put: (entry) => {
        timed('AddVolumeAttachment', () => graph.putAttachment(entry.key, nodeNamedBy(entry)));
      },
      remove: (key) => {
        timed('DeleteVolumeAttachment', () => graph.removeAttachment(key));
      },
    },
  };
}

interface LaterParts {
  readonly follows: FollowedKinds;
  readonly timed: (operation: GraphOperation, change: () => void) => void;
}

function laterIndexes(
  graph: NodeGraph,
  { apiDomain }: NamingProfile,
  { follows, timed }: LaterParts,
): Readonly<Record<string, FollowedIndex>> {
  const placed = (
    resource: PlacedResource,
    kind: 'ResourceSlice' | 'PodCertificateRequest',
  ): FollowedIndex => ({
    keys: () => graph.keys(resource),
    put: (entry) => {
      timed(`Add${kind}`, () => graph.putPlaced(resource, entry.key, nodeNamedBy(entry)));
    },
    remove: (key) => {
      timed(`Delete${kind}`, () => graph.removePlaced(resource, key));
    },
  });
  const [slices, requests] = ['resourceslices', 'podcertificaterequests'] as const;
  return {
    ...(follows.claims === true && { [`resource.${apiDomain}/${slices}`]: placed(slices, 'ResourceSlice') }),
    ...(follows.podCertificates === true && {
      [`certificates.${apiDomain}/${requests}`]: placed(requests, 'PodCertificateRequest'),
    }),
  };
}

/** What can add references to a pod that has its node; all its other changes need no parsing. */
function hasGrown({ bytes }: Entry, { claims }: FollowedKinds): boolean {
  if (bytes.includes('"ephemeralContainers"')) return true;
  return claims === true && bytes.includes('esourceClaimStatus');
}
