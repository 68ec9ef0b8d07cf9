/**
 * Aggregated ClusterRoles: their rules are those of all roles that their selectors match, brought up to date whenever
 * one of these changes, comes or goes.
 */
import { Slice } from '../../base/cooperate.ts';
import { resultOf } from '../../base/sliced-work.ts';
import { ignoreNotFound } from '../../meta/object-errors.ts';
import { reflect } from '../reflector.ts';
import type { Controller, ControllerContext, MetadataEvent, ResourceRef } from '../types.ts';
import { WorkQueue } from '../work-queue.ts';
import { gatheredRules, gathers, hasSameRules, knownRole, type KnownRole } from './gather-rules.ts';

export interface ClusterRoleAggregationOptions extends ControllerContext {
  readonly clusterRoles: ResourceRef;
}

export function createClusterRoleAggregation(options: ClusterRoleAggregationOptions): Controller {
  return {
    name: 'clusterrole-aggregation',
    run: (signal) => new Aggregation(options).run(signal),
  };
}

class Aggregation {
  private readonly options: ClusterRoleAggregationOptions;
  private readonly known = new Map<string, KnownRole>();
  private readonly queue: WorkQueue<string>;
  /** Roles of the first list that were not read yet: until all are, nothing is written, or rules would go for a while. */
  private readonly unread = new Set<string>();
  private isSynced = false;

  constructor(options: ClusterRoleAggregationOptions) {
    this.options = options;
    const { clock, log, metrics } = options;
    this.queue = new WorkQueue({
      ...{ name: 'clusterrole-aggregation', workers: 1, clock, log, metrics },
      handle: (name, signal) => this.sync(name, signal),
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { client, clock, clusterRoles: resource, log } = this.options;
    const onSynced = (): void => {
      this.isSynced = true;
    };
    const onEvent = ({ object: { metadata } }: MetadataEvent): void => {
      const { name = '' } = metadata;
      if (!this.isSynced) this.unread.add(name);
      this.queue.add(name);
    };
    await Promise.all([
      reflect({ client, clock, resource, onEvent, onSynced, log }, signal),
      this.queue.run(signal),
    ]);
  }

  /** Takes note of a role as it is now, has those looked at that gather it, and fills its rules if it gathers. */
  private async sync(name: string, signal: AbortSignal): Promise<undefined> {
    const { client, clusterRoles: resource } = this.options;
    const before = this.known.get(name);
    const object = await client.get({ resource, namespace: '', name }, signal);
    const slice = new Slice();
    const role = object && (await resultOf(knownRole(object), () => slice.breathe()));
    if (role) this.known.set(name, role);
    else this.known.delete(name);
    const wasComplete = this.isComplete();
    this.unread.delete(name);
    if (!this.isComplete()) return;
    const isSame = await hasSameRules(before?.rules ?? [], role?.rules ?? [], slice);
    await this.queueConcerned(wasComplete ? { before, now: role, hasSameRules: isSame } : undefined, slice);
    if (!object || role?.selectors === undefined) return;
    const rules = await gatheredRules(role, this.known.values(), slice);
    if (await hasSameRules(rules, role.rules, slice)) return;
    // What fails, a conflict among others, is tried again.
    const ref = { resource, namespace: '', name };
    await ignoreNotFound(ref, client.update(ref, { ...object, rules }, '', signal));
  }

  /**
   * Queues the roles that aggregate what changed, and those that aggregate these, as rules are gathered through them; all that
   * aggregate, if it is not known what changed.
   */
  private async queueConcerned(change: Change | undefined, slice: Slice): Promise<void> {
    const left = new Set([...this.known.values()].filter(({ selectors }) => selectors !== undefined));
    const concerned: KnownRole[] = [];
    const take = async (isTaken: (role: KnownRole) => boolean): Promise<void> => {
      for (const role of left) {
        if (isTaken(role) && left.delete(role)) concerned.push(role);
        if (slice.shouldYield()) await slice.yieldNow();
      }
    };
    await take((role) => !change || isConcerned(role, change));
    for (const role of concerned) {
      this.queue.add(role.name);
      await take((other) => gathers(other, role));
    }
  }

  private isComplete(): boolean {
    return this.isSynced && this.unread.size === 0;
  }
}

interface Change {
  readonly before: KnownRole | undefined;
  readonly now: KnownRole | undefined;
  readonly hasSameRules: boolean;
}

/** Only changed rules or labels concern the roles that aggregate it. */
function isConcerned(other: KnownRole, { before, now, hasSameRules: same }: Change): boolean {
  const wasIn = before !== undefined && gathers(other, before);
  const isIn = now !== undefined && gathers(other, now);
  return wasIn && isIn ? !same : wasIn || isIn;
}
