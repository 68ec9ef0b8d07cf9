/** Who leads in a world: one process at a time, and none acts after another has begun to. */
import type { ApiClient, ControllerMetrics, ResourceRef } from '../../../src/controllers/types.ts';
import type { Owner } from './scheduler.ts';
import type { World } from './world.ts';

const noNumbers = { added: () => undefined, taken: () => undefined, worked: () => undefined };

export class Leaders {
  readonly violations: string[] = [];
  readonly #world: World;
  readonly #onDelete: (uid: string) => void;
  readonly #leading = new Set<Owner>();
  #newest: Owner | undefined;

  /** @param onDelete told the uid of whatever a controller deletes */
  constructor(world: World, onDelete: (uid: string) => void) {
    this.#world = world;
    this.#onDelete = onDelete;
  }

  /** Takes note of when the process leads. */
  metricsOf(process: Owner): ControllerMetrics {
    return {
      queue: () => noNumbers,
      leading: (_lease, isLeader) => {
        if (isLeader) this.#begin(process);
        else this.#leading.delete(process);
      },
    };
  }

  /** The client of the controllers of a process, whose writes are those of the leader. */
  watched(process: Owner, client: ApiClient): ApiClient {
    const note = (verb: string, resource: ResourceRef, signal: AbortSignal): void =>
      this.#noteWrite(process, `${verb} ${resource.resource}`, { resource, signal });
    return {
      minorVersion: (signal) => client.minorVersion(signal),
      discover: (signal) => client.discover(signal),
      get: (ref, signal) => client.get(ref, signal),
      eachObject: (resource, listing, signal) => client.eachObject(resource, listing, signal),
      count: (resource, namespace, signal) => client.count(resource, namespace, signal),
      listMetadata: (...request) => client.listMetadata(...request),
      eachMetadata: (resource, listing, signal) => client.eachMetadata(resource, listing, signal),
      newestVersion: (resource, reading, signal) => client.newestVersion(resource, reading, signal),
      watchMetadata: (resource, watch, signal) => client.watchMetadata(resource, watch, signal),
      create: (resource, namespace, object, signal) => {
        note('create', resource, signal);
        return client.create(resource, namespace, object, signal);
      },
      update: (ref, object, subresource, signal) => {
        note('update', ref.resource, signal);
        return client.update(ref, object, subresource, signal);
      },
      patch: (ref, patch, signal) => {
        note('patch', ref.resource, signal);
        return client.patch(ref, patch, signal);
      },
      delete: (ref, request, signal) => {
        note('delete', ref.resource, signal);
        this.#onDelete(request.uid ?? '');
        return client.delete(ref, request, signal);
      },
      deleteCollection: (resource, namespace, signal) => {
        note('deletecollection', resource, signal);
        return client.deleteCollection(resource, namespace, signal);
      },
    };
  }

  #begin(process: Owner): void {
    for (const other of this.#leading) {
      if (other.state === 'alive')
        this.violations.push(
          `leader: ${process.name} leads beside ${other.name} at ${this.#world.time.toFixed(0)} ms`,
        );
    }
    this.#leading.add(process);
    this.#newest = process;
    this.#world.trace(`${process.name} leads`);
  }

  /** What a process does at the very moment it wakes, it has begun before: it has not seen the time yet. */
  #noteWrite(
    process: Owner,
    what: string,
    { resource, signal }: { readonly resource: ResourceRef; readonly signal: AbortSignal },
  ): void {
    const { time } = this.#world;
    const isAwake = process.state === 'alive' && process.thawedAt !== time;
    if (resource.resource === 'leases' || signal.aborted || !isAwake || process === this.#newest) return;
    this.violations.push(
      `leader: ${process.name} does ${what} at ${time.toFixed(0)} ms, when ${this.#newest?.name ?? 'nobody'} leads`,
    );
  }
}
