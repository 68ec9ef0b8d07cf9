/**
 * Garbage collector: objects whose owners are gone are deleted, foreground deletions wait for dependents, orphaning
 * sets dependents free. It follows the metadata of every resource that can be deleted, also of those that appear
 * while it runs.
 */
import { apiVersionOf } from '../../meta/gvk.ts';
import { reflect } from '../reflector.ts';
import type { ApiClient, Controller, ControllerLog, ControllerMetrics, ResourceRef } from '../types.ts';
import { pause, WorkQueue } from '../work-queue.ts';
import { kindKey, type GraphNode } from './graph.ts';
import { GraphBuilder } from './graph-builder.ts';
import { orphanDependents, processNode } from './processor.ts';

export interface GarbageCollectorOptions {
  readonly client: ApiClient;
  readonly log: ControllerLog;
  readonly metrics: ControllerMetrics;
  /** Resources (`group/resource`) that own and are owned by nothing, e.g. events. */
  readonly ignored: ReadonlySet<string>;
  /** How soon a resource that appears is followed; 5 s. */
  readonly discoveryMs?: number;
}

const defaultDiscoveryMs = 5_000;
const workers = 8;

export function createGarbageCollector(options: GarbageCollectorOptions): Controller {
  return { name: 'garbagecollector', run: (signal) => new GarbageCollector(options).run(signal) };
}

interface Followed {
  readonly resource: ResourceRef;
  readonly stop: AbortController;
  synced: boolean;
}

class GarbageCollector {
  private readonly options: GarbageCollectorOptions;
  private readonly followed = new Map<string, Followed>();
  private readonly byKind = new Map<string, ResourceRef>();
  private events: ResourceRef | undefined;
  private readonly runs = new Set<Promise<void>>();
  private readonly deletions: WorkQueue<GraphNode>;
  private readonly orphans: WorkQueue<GraphNode>;
  private readonly builder: GraphBuilder;
  private readonly allSynced = Promise.withResolvers<undefined>();

  constructor(options: GarbageCollectorOptions) {
    this.options = options;
    const { log, metrics, client } = options;
    const processor = {
      client,
      log,
      builder: () => this.builder,
      resourceOf: (apiVersion: string, kind: string) => this.byKind.get(kindKey(apiVersion, kind)),
      events: () => this.events,
    };
    const common = { workers, log, metrics };
    this.deletions = new WorkQueue({
      ...common,
      name: 'gc-delete',
      handle: async (node, signal) => {
        await processNode(processor, node, signal);
        return undefined;
      },
    });
    this.orphans = new WorkQueue({
      ...common,
      name: 'gc-orphan',
      handle: async (node, signal) => {
        await orphanDependents(processor, node, signal);
        return undefined;
      },
    });
    this.builder = new GraphBuilder({
      attemptToDelete: (node) => this.deletions.add(node),
      attemptToOrphan: (node) => this.orphans.add(node),
    });
  }

  /** Decides nothing before every resource was listed once: an owner not seen yet is not an owner that is gone. */
  async run(signal: AbortSignal): Promise<void> {
    const discovering = this.discoverAlways(signal);
    const stopped = Promise.withResolvers<undefined>();
    const stop = (): void => stopped.resolve(undefined);
    signal.addEventListener('abort', stop);
    await Promise.race([this.allSynced.promise, stopped.promise]);
    signal.removeEventListener('abort', stop);
    await Promise.all([this.deletions.run(signal), this.orphans.run(signal), discovering]);
    await Promise.all(this.runs);
  }

  private async discoverAlways(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        this.follow(await this.options.client.discover(signal), signal);
      } catch (error) {
        this.options.log.warn({ err: error }, 'discovery failed, going on with what is known');
      }
      await pause(this.options.discoveryMs ?? defaultDiscoveryMs, signal);
    }
  }

  private follow(resources: readonly ResourceRef[], signal: AbortSignal): void {
    const wanted = resources.filter((r) => this.isFollowable(r));
    const names = new Set(wanted.map(nameOf));
    this.events = resources.find((r) => r.group === '' && r.resource === 'events');
    // A kind that is served no more is unknown again: its objects are not taken for deleted.
    const before = new Set(this.byKind.keys());
    this.byKind.clear();
    for (const [name, { stop }] of this.followed) {
      if (names.has(name)) continue;
      stop.abort();
      this.followed.delete(name);
    }
    for (const resource of wanted) {
      this.byKind.set(kindKey(apiVersionOf(resource), resource.kind), resource);
      if (!this.followed.has(nameOf(resource))) this.start(resource, signal);
    }
    const appeared = new Set([...this.byKind.keys()].filter((kind) => !before.has(kind)));
    if (before.size > 0 && appeared.size > 0) this.builder.kindsAppeared(appeared);
  }

  private isFollowable(resource: ResourceRef): boolean {
    const verbs = ['list', 'watch', 'delete'];
    return verbs.every((v) => resource.verbs.includes(v)) && !this.options.ignored.has(nameOf(resource));
  }

  private start(resource: ResourceRef, signal: AbortSignal): void {
    const { client, log } = this.options;
    const followed: Followed = { resource, stop: new AbortController(), synced: false };
    this.followed.set(nameOf(resource), followed);
    const onSynced = (): void => {
      followed.synced = true;
      if ([...this.followed.values()].every((f) => f.synced)) this.allSynced.resolve(undefined);
    };
    const run = reflect(
      { client, resource, log, onSynced, onEvent: (event) => this.builder.apply(resource, event) },
      AbortSignal.any([signal, followed.stop.signal]),
    ).finally(() => this.runs.delete(run));
    this.runs.add(run);
  }
}

function nameOf(resource: ResourceRef): string {
  return `${resource.group}/${resource.resource}`;
}
