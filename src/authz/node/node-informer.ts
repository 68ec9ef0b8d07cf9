/** Informer of the node graph: follows pods, nodes, volumes and attachments in the replica's watch cache. */
import type { NamingProfile } from '../../meta/naming.ts';
import type { Entry, Storage } from '../../storage/types.ts';
import { followIntoIndex, type FollowedIndex } from '../index-follower.ts';
import { NodeGraph } from './node-graph.ts';
import { configMapOfNode, nodeOfAttachment, referencesOfPod, referencesOfVolume } from './node-references.ts';

export interface NodeInformerOptions {
  readonly storage: Pick<Storage, 'watch'>;
  readonly naming: NamingProfile;
  readonly warn: (details: object, message: string) => void;
}

export interface NodeInformer {
  readonly graph: NodeGraph;
  /** Resolves when the graph holds the state of all resources for the first time. */
  readonly loaded: Promise<void>;
  /** Ends the watches. */
  close(): void;
}

/** Starts the informer; the caller closes it. */
export function startNodeInformer({ storage, naming, warn }: NodeInformerOptions): NodeInformer {
  const graph = new NodeGraph();
  const stopping = new AbortController();
  const { signal } = stopping;
  const loads = Object.entries(followedBy(graph, naming)).map(([collection, index]) =>
    followIntoIndex(index, { storage, collection, signal, warn }),
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
export function followedBy(graph: NodeGraph, naming: NamingProfile): Readonly<Record<string, FollowedIndex>> {
  return {
    'core/pods': {
      keys: () => graph.keys('pods'),
      put: (entry, isChange) => {
        if (isChange && graph.hasPod(entry.key) && !hasGrown(entry)) return;
        graph.putPod(entry.key, referencesOfPod(entry, naming));
      },
      remove: (key) => {
        graph.removePod(key);
      },
    },
    'core/nodes': {
      keys: () => graph.keys('nodes'),
      put: (entry) => {
        graph.putConfig(entry.key, configMapOfNode(entry));
      },
      remove: (key) => {
        graph.removeConfig(key);
      },
    },
    'core/persistentvolumes': {
      keys: () => graph.keys('persistentvolumes'),
      put: (entry) => {
        graph.putVolume(entry.key, referencesOfVolume(entry));
      },
      remove: (key) => {
        graph.removeVolume(key);
      },
    },
    [`storage.${naming.apiDomain}/volumeattachments`]: {
      keys: () => graph.keys('volumeattachments'),
      put: (entry) => {
        graph.putAttachment(entry.key, nodeOfAttachment(entry));
      },
      remove: (key) => {
        graph.removeAttachment(key);
      },
    },
  };
}

/** Only ephemeral containers can add references to a pod that has its node; all its other changes need no parsing. */
function hasGrown({ bytes }: Entry): boolean {
  return bytes.includes('"ephemeralContainers"');
}
