/**
 * Aggregated ClusterRoles: their rules are those of all roles that their selectors match, brought up to date whenever
 * one of these changes, comes or goes.
 */
import { deepEqual } from '../../base/json.ts';
import { ignoreNotFound } from '../../meta/object-errors.ts';
import { reflect } from '../reflector.ts';
import type { Controller, ControllerContext, MetadataEvent, ResourceRef } from '../types.ts';
import { WorkQueue } from '../work-queue.ts';
import { gatheredRules, gathers, knownRole, type KnownRole } from './gather-rules.ts';

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
    const role = object && knownRole(object);
    if (role) this.known.set(name, role);
    else this.known.delete(name);
    const wasComplete = this.isComplete();
    this.unread.delete(name);
    if (!this.isComplete()) return;
    for (const other of this.known.values())
      if (wasComplete ? isConcerned(other, before, role) : other.selectors) this.queue.add(other.name);
    if (!object || role?.selectors === undefined) return;
    const rules = gatheredRules(role, this.known.values());
    if (deepEqual(rules, [...role.rules])) return;
    // What fails, a conflict among others, is tried again.
    const ref = { resource, namespace: '', name };
    await ignoreNotFound(ref, client.update(ref, { ...object, rules }, '', signal));
  }

  private isComplete(): boolean {
    return this.isSynced && this.unread.size === 0;
  }
}

/** Only changed rules or labels concern the roles that aggregate it. */
function isConcerned(other: KnownRole, before: KnownRole | undefined, now: KnownRole | undefined): boolean {
  const wasIn = before !== undefined && gathers(other, before);
  const isIn = now !== undefined && gathers(other, now);
  if (wasIn && isIn) return !deepEqual([...before.rules], [...now.rules]);
  return wasIn || isIn;
}
