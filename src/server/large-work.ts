/** What write threads do for a replica: for its clients, and for what it writes itself. */
import type { Environment } from '../base/environment.ts';
import type { PatchElsewhere } from '../extension/custom-resources/index.ts';
import type { ApiHandlerDeps } from '../http/api-handler.ts';
import type { WriteThreads } from '../write-threads/write-threads.ts';
import type { WritesElsewhere } from '../registry/writes-elsewhere.ts';
import { controllerWrites } from '../http/writes/controller-writes.ts';

export interface LargeWork {
  /** Dependencies of the HTTP handler. */
  readonly http?: Pick<ApiHandlerDeps, 'largeWrites' | 'largeForms'>;
  /** For definitions that the replica changes itself. */
  readonly patchElsewhere?: PatchElsewhere;
  /** For controllers in this process. */
  readonly controllers?: WritesElsewhere;
  /** For objects that the replica maintains. */
  readonly own?: WritesElsewhere;
}

/** A thread of its own has the time of the machine, so that it does no work for a replica with another one. */
export function largeWork({ clock }: Environment, threads: WriteThreads): LargeWork {
  if (clock.steady !== undefined) return {};
  return {
    http: { largeWrites: threads, largeForms: threads },
    patchElsewhere: patchBy(threads),
    controllers: controllerWrites(threads),
    own: controllerWrites(threads, true),
  };
}

function patchBy(threads: Pick<WriteThreads, 'perform'>): PatchElsewhere {
  return (scope, name, operations) => {
    const { resource, namespace, subresource, user, dryRun, fieldManager } = scope;
    const target = { resource: resource.gvr, namespace, name, subresource };
    const body = Buffer.from(JSON.stringify(operations));
    const sent = { operation: 'patch', verb: 'patch', contentType: 'application/json-patch+json' } as const;
    return threads.perform({ ...target, ...sent, user, dryRun, fieldManager, body }, scope);
  };
}
