/** Informer of the node graph: follows pods, nodes, volumes and attachments in the replica's watch cache. */
import type { Environment } from '../../base/environment.ts';
import { breatheInLargeStep } from '../../base/cooperate.ts';
import { eventLoop } from '../../base/event-loop.ts';
import { decodeStored, decodeStoredInSlices } from '../../codec/stored.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { asApiObject, type ApiObject } from '../../meta/object.ts';
import type { Entry, ObjectKey, Storage } from '../../storage/types.ts';
import { followIntoIndex, type FollowedIndex } from '../index-follower.ts';
import { NodeGraph, type PlacedResource } from './node-graph.ts';
import {
  configMapOfNode,
  mayHaveConfig,
  mayHaveNode,
  nodeNamedBy,
  referencesOfPod,
  referencesOfVolume,
} from './node-references.ts';

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
  const timed: Timed = (operation, change) => {
    const since = eventLoop().now();
    change();
    observe(operation, (eventLoop().now() - since) / 1_000);
  };
  return {
    ...laterIndexes(graph, naming, { follows, timed }),
    'core/pods': {
      keys: () => graph.keys('pods'),
      ...reading(timed, {
        operation: 'AddPod',
        isKnown: (entry, isChange) => isChange && graph.hasPod(entry.key) && !hasGrown(entry, follows),
        isRead: mayHaveNode,
        take: (key, pod) => graph.putPod(key, pod && referencesOfPod(pod, naming)),
      }),
      remove: (key) => {
        timed('DeletePod', () => graph.removePod(key));
      },
    },
    'core/nodes': {
      keys: () => graph.keys('nodes'),
      ...reading(timed, {
        operation: 'SetNodeConfigMap',
        isRead: mayHaveConfig,
        take: (key, node) => graph.putConfig(key, node && configMapOfNode(node)),
      }),
      remove: (key) => {
        timed('SetNodeConfigMap', () => graph.removeConfig(key));
      },
    },
    'core/persistentvolumes': {
      keys: () => graph.keys('persistentvolumes'),
      ...reading(timed, {
        operation: 'AddPV',
        take: (key, volume) => graph.putVolume(key, volume && referencesOfVolume(volume)),
      }),
      remove: (key) => {
        timed('DeletePV', () => graph.removeVolume(key));
      },
    },
    [`storage.${naming.apiDomain}/volumeattachments`]: {
      keys: () => graph.keys('volumeattachments'),
      ...reading(timed, {
        operation: 'AddVolumeAttachment',
        take: (key, attachment) => graph.putAttachment(key, attachment ? nodeNamedBy(attachment) : ''),
      }),
      remove: (key) => {
        timed('DeleteVolumeAttachment', () => graph.removeAttachment(key));
      },
    },
  };
}

type Timed = (operation: GraphOperation, change: () => void) => void;

interface LaterParts {
  readonly follows: FollowedKinds;
  readonly timed: Timed;
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
    ...reading(timed, {
      operation: `Add${kind}`,
      take: (key, object) => graph.putPlaced(resource, key, object ? nodeNamedBy(object) : ''),
    }),
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

/** How objects of a collection come into the graph. */
interface Reading {
  readonly operation: GraphOperation;
  /** Whether the graph has all of it. Absent: never. */
  readonly isKnown?: (entry: Entry, isChange: boolean) => boolean;
  /** Whether the object is needed. Absent: always. */
  readonly isRead?: (entry: Entry) => boolean;
  /** @param object undefined where it is not needed */
  readonly take: (key: ObjectKey, object: ApiObject | undefined) => void;
}

/** Large objects are parsed in slices. */
function reading(
  timed: Timed,
  { operation, isKnown = () => false, isRead = () => true, take }: Reading,
): Required<Pick<FollowedIndex, 'put' | 'prepare'>> {
  return {
    put: (entry, isChange) => {
      if (isKnown(entry, isChange)) return;
      timed(operation, () => {
        take(entry.key, isRead(entry) ? asApiObject(decodeStored(entry.bytes)) : undefined);
      });
    },
    prepare: async (entry, isChange) => {
      if (isKnown(entry, isChange)) return () => undefined;
      const object = isRead(entry)
        ? asApiObject(await decodeStoredInSlices(entry.bytes, breatheInLargeStep))
        : undefined;
      return () => timed(operation, () => take(entry.key, object));
    },
  };
}

/** What can add references to a pod that has its node; all its other changes need no parsing. */
function hasGrown({ bytes }: Entry, { claims }: FollowedKinds): boolean {
  if (bytes.includes('"ephemeralContainers"')) return true;
  return claims === true && bytes.includes('esourceClaimStatus');
}
