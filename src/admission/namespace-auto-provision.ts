/** NamespaceAutoProvision: a creation in a namespace that does not exist creates the namespace first. */
import type { ApiObject } from '../meta/object.ts';
import { messageOf } from '../base/errors.ts';
import { whenReady, type MaybePromise } from '../base/maybe-promise.ts';
import { forbidden } from '../meta/status.ts';
import type { AdmissionAttributes } from '../registry/types.ts';
import type { AdmissionPlugin } from './admission-chain.ts';

export interface NamespaceProvision {
  /** The namespace as the replica's view has it; a large one is parsed in slices. */
  peek(name: string): MaybePromise<ApiObject | undefined>;
  /** Creates it unless it is there. @throws StatusError */
  create(name: string, signal: AbortSignal): Promise<void>;
}

export function createNamespaceAutoProvision(provision: NamespaceProvision): AdmissionPlugin {
  return {
    name: 'NamespaceAutoProvision',
    admit(attributes): MaybePromise<void> {
      const { operation, scope } = attributes;
      if (operation !== 'CREATE' || scope.dryRun || scope.namespace === '') return;
      return whenReady(provision.peek(scope.namespace), (seen) => (seen ? undefined : create(attributes)));
    },
  };

  async function create({ scope, name }: AdmissionAttributes): Promise<void> {
    try {
      await provision.create(scope.namespace, scope.signal);
    } catch (error) {
      throw forbidden(scope.resource.gvr, name, messageOf(error));
    }
  }
}
