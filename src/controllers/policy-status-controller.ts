/** `validatingadmissionpolicy-status`: writes into the status of each policy what is wrong with the types of its expressions. */
import type {
  ExpressionWarning,
  ValidatingAdmissionPolicySpec,
  ValidatingAdmissionPolicyStatus,
} from '../api/admissionregistration/v1.types.ts';
import { asJson, type ApiObject } from '../meta/object.ts';
import { ignoreNotFound } from '../meta/object-errors.ts';
import { reflect } from './reflector.ts';
import type { Controller, ControllerContext, ResourceRef } from './types.ts';
import { WorkQueue } from './work-queue.ts';

export interface PolicyStatusOptions extends ControllerContext {
  /** Policies in a version that is served. */
  readonly policies: ResourceRef;
  /** The warnings of a policy. */
  readonly checkTypes: (spec: ValidatingAdmissionPolicySpec) => Promise<readonly ExpressionWarning[]>;
}

const name = 'validatingadmissionpolicy-status';

/** A policy is checked once for each generation of it, as the reference does: kinds that come later do not change its status. */
export function createPolicyStatusController(options: PolicyStatusOptions): Controller {
  const { client, clock, log, metrics, policies: resource } = options;
  const queue = new WorkQueue<string>({
    ...{ name, workers: 1, clock, log, metrics },
    handle: (policy, signal) => sync(options, policy, signal),
  });
  return {
    name,
    run: async (signal) => {
      const onEvent = ({ object }: { readonly object: ApiObject }): void => {
        queue.add(object.metadata.name ?? '');
      };
      // Each policy stands for itself.
      const onSynced = (): void => undefined;
      await Promise.all([
        reflect({ client, clock, resource, onEvent, onSynced, log }, signal),
        queue.run(signal),
      ]);
    },
  };
}

async function sync(
  { client, policies: resource, checkTypes }: PolicyStatusOptions,
  policy: string,
  signal: AbortSignal,
): Promise<undefined> {
  const ref = { resource, namespace: '', name: policy };
  const object = await client.get(ref, signal);
  if (!object) return;
  const generation = object.metadata.generation ?? 0;
  const status = (object['status'] ?? {}) as ValidatingAdmissionPolicyStatus;
  if (generation <= (status.observedGeneration ?? 0)) return;
  const expressionWarnings = await checkTypes(object['spec'] ?? {});
  const typeChecking = expressionWarnings.length > 0 ? { expressionWarnings } : {};
  const next = { ...object, status: { ...status, observedGeneration: generation, typeChecking } };
  // What fails, a conflict among others, is tried again.
  await ignoreNotFound(ref, client.update(ref, asJson(next) as ApiObject, 'status', signal));
}
