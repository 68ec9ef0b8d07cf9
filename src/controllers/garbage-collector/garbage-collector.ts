/**
 * Garbage collector: objects whose owners are gone are deleted, foreground deletions wait for dependents, orphaning
 * sets dependents free. It follows the metadata of every resource that can be deleted, also of those that appear
 * while it runs.
 */
import { Slice } from '../../base/cooperate.ts';
import { pauseAwake } from '../../base/pause.ts';
import { apiVersionOf } from '../../meta/gvk.ts';
import { reflect, type Uids } from '../reflector.ts';
import {
  IncompleteDiscovery,
  type Controller,
  type ControllerContext,
  type MetadataEvent,
  type ResourceRef,
} from '../types.ts';
import { hasStopped, WorkQueue } from '../work-queue.ts';
import { kindKey, type GraphNode } from './graph.ts';
import { GraphBuilder } from './graph-builder.ts';
import { orphanDependents, processNode } from './processor.ts';

export interface GarbageCollectorOptions extends ControllerContext {
  /** Resources (`group/resource`) that own and are owned by nothing, e.g. events. */
  readonly ignored: ReadonlySet<string>;
  /** How soon a resource that appears is followed; 5 s. */
  readonly discoveryMs?: number;
  /** How long the start waits for the first list of every resource; 30 s, as in the reference. */
  readonly syncTimeoutMs?: number;
}

const defaultDiscoveryMs = 5_000;
const defaultSyncTimeoutMs = 30_000;
const workers = 8;
/** Between two looks at the clock. */
const decisionsAtOnce = 500;

export function createGarbageCollector(options: GarbageCollectorOptions): Controller {
  return { name: 'garbagecollector', run: (signal) => new GarbageCollector(options).run(signal) };
}

interface Monitor {
  readonly resource: ResourceRef;
  readonly stop: AbortController;
}

class GarbageCollector {
  private readonly options: GarbageCollectorOptions;
  private readonly monitors = new Map<string, Monitor>();
  /** Names of resources that were ever followed. */
  private readonly known = new Set<string>();
  /** Monitors whose first list is not complete. */
  private readonly unsynced = new Set<Monitor>();
  private byKind: ReadonlyMap<string, ResourceRef> = new Map<string, ResourceRef>();
  /** What was discovered last: clients give the same array while it stays the same. */
  private followed: readonly ResourceRef[] = [];
  private events: ResourceRef | undefined;
  private readonly runs = new Set<Promise<void>>();
  private readonly deletions: WorkQueue<GraphNode>;
  private readonly orphans: WorkQueue<GraphNode>;
  private readonly builder: GraphBuilder;
  private readonly allSynced = Promise.withResolvers<undefined>();

  constructor(options: GarbageCollectorOptions) {
    this.options = options;
    const { clock, log, metrics, client } = options;
    const processor = {
      client,
      clock,
      log,
      builder: () => this.builder,
      resourceOf: (apiVersion: string, kind: string) => this.byKind.get(kindKey(apiVersion, kind)),
      events: () => this.events,
    };
    const describe = ({ identity: { kind, namespace, name } }: GraphNode): string =>
      `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`;
    const common = { workers, clock, log, metrics, describe };
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
      attemptToDeleteAll: (nodes) => void this.decideAll(nodes),
      attemptToOrphan: (node) => this.orphans.add(node),
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    const discovering = this.discoverAlways(signal);
    await this.untilSynced(signal);
    await Promise.all([this.deletions.run(signal), this.orphans.run(signal), discovering]);
    await Promise.all(this.runs);
  }

  /** In slices, for an owner may have a hundred thousand dependents. */
  private async decideAll(nodes: readonly GraphNode[]): Promise<void> {
    const slice = new Slice();
    for (const [i, node] of nodes.entries()) {
      this.deletions.add(node);
      if (i % decisionsAtOnce === decisionsAtOnce - 1) await slice.breathe();
    }
  }

  /**
   * Decides nothing before every resource was listed once, lest a foreground deletion ends before its dependents are known.
   * One that cannot be listed holds up the rest no longer than in the reference; owners are looked up anyhow.
   */
  private async untilSynced(signal: AbortSignal): Promise<void> {
    const synced = new AbortController();
    void this.allSynced.promise.then(() => synced.abort());
    const { clock, syncTimeoutMs = defaultSyncTimeoutMs } = this.options;
    await pauseAwake(clock, syncTimeoutMs, AbortSignal.any([signal, synced.signal]));
    const missing = Array.from(this.unsynced, ({ resource }) => nameOf(resource));
    if (missing.length > 0 && !signal.aborted)
      this.options.log.warn(
        { resources: missing },
        'some resources could not be listed, starting without them',
      );
  }

  private async discoverAlways(signal: AbortSignal): Promise<void> {
    let resting = new AbortController();
    const look = (): void => resting.abort();
    this.options.metrics.looking?.('gc-discovery', look);
    signal.addEventListener('abort', look, { once: true });
    while (!signal.aborted) {
      resting = new AbortController();
      try {
        await this.follow(await this.options.client.discover(signal), signal);
      } catch (error) {
        if (error instanceof IncompleteDiscovery) await this.follow(this.completed(error), signal);
        this.options.log.warn({ err: error }, 'discovery failed, going on with what is known');
      }
      // Aborted while this discovered: it may have been too early.
      if (!hasStopped(signal))
        await pauseAwake(this.options.clock, this.options.discoveryMs ?? defaultDiscoveryMs, resting.signal);
    }
  }

  /** Resources of a group that does not answer now are followed on. */
  private completed({ resources, groups }: IncompleteDiscovery): ResourceRef[] {
    const found = new Set(resources.map(nameOf));
    const retained = [...this.monitors.values()].map(({ resource }) => resource);
    return [...resources, ...retained.filter((r) => groups.has(r.group) && !found.has(nameOf(r)))];
  }

  /** In slices: there may be thousands of resources. */
  private async follow(resources: readonly ResourceRef[], signal: AbortSignal): Promise<void> {
    if (resources === this.followed) return;
    const slice = new Slice();
    const wanted = new Map<string, ResourceRef>();
    const byKind = new Map<string, ResourceRef>();
    for (const resource of resources) {
      if (this.isMonitorable(resource)) {
        wanted.set(versionedName(resource), resource);
        byKind.set(kindKey(apiVersionOf(resource), resource.kind), resource);
      }
      if (slice.shouldYield()) await slice.yieldNow();
    }
    this.events = resources.find((r) => r.group === '' && r.resource === 'events');
    // A kind that is no longer served is unknown again: its objects do not count as deleted.
    const before = this.byKind;
    this.byKind = byKind;
    for (const [name, monitor] of this.monitors) if (!wanted.has(name)) this.end(name, monitor);
    for (const [name, resource] of wanted) {
      if (hasStopped(signal)) return;
      if (!this.monitors.has(name)) this.start(resource, signal);
      if (slice.shouldYield()) await slice.yieldNow();
    }
    this.followed = resources;
    this.noteSynced();
    const appeared = new Set([...byKind.keys()].filter((kind) => !before.has(kind)));
    if (before.size > 0 && appeared.size > 0) await this.builder.kindsAppeared(appeared);
  }

  private end(name: string, monitor: Monitor): void {
    monitor.stop.abort();
    this.monitors.delete(name);
    this.unsynced.delete(monitor);
  }

  private noteSynced(): void {
    if (this.monitors.size > 0 && this.unsynced.size === 0) this.allSynced.resolve(undefined);
  }

  private isMonitorable(resource: ResourceRef): boolean {
    const verbs = ['list', 'watch', 'delete'];
    return verbs.every((v) => resource.verbs.includes(v)) && !this.options.ignored.has(nameOf(resource));
  }

  private start(resource: ResourceRef, signal: AbortSignal): void {
    const { client, clock, log } = this.options;
    const monitor: Monitor = { resource, stop: new AbortController() };
    this.monitors.set(versionedName(resource), monitor);
    this.unsynced.add(monitor);
    const wasMonitored = this.known.has(nameOf(resource));
    this.known.add(nameOf(resource));
    const stopping = AbortSignal.any([signal, monitor.stop.signal]);
    const onSynced = (): void => {
      this.unsynced.delete(monitor);
      if (wasMonitored) this.keep(this.builder.relisted(resource, stopping));
      if (this.followed.length > 0) this.noteSynced();
    };
    // What still arrives after the end is older than what its successor lists.
    const onEvent = (event: MetadataEvent): void => {
      if (!stopping.aborted) this.builder.apply(resource, event);
    };
    const onUnlisted = (listed: Uids): Promise<void> => this.builder.unlisted(resource, listed, stopping);
    const reflector = { client, clock, resource, log, onSynced, onEvent, onUnlisted };
    this.keep(reflect(reflector, stopping));
  }

  /** What is under way ends before `run` does. */
  private keep(work: Promise<void>): void {
    const run = work.finally(() => this.runs.delete(run));
    this.runs.add(run);
  }
}

function versionedName(resource: ResourceRef): string {
  return `${resource.version} ${nameOf(resource)}`;
}

function nameOf(resource: ResourceRef): string {
  return `${resource.group}/${resource.resource}`;
}
