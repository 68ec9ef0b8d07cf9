/** RuntimeClass: what a pod's runtime takes, and on which nodes there is such a runtime. */
import { canonicalJson } from '../base/canonical-json.ts';
import type { JsonObject } from '../base/json.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { quantityOf } from '../api/core/pod/amounts.ts';
import { difference } from '../api/core/quota-usage.ts';
import type { Pod as PodFields, PodSpec, Toleration } from '../api/core/v1.types.ts';
import type { RuntimeClass as ClassFields } from '../api/node/v1.types.ts';
import type { Stored } from '../api/define.ts';
import type { NamingProfile } from '../meta/naming.ts';
import { forbidden } from '../meta/status.ts';
import type { AdmissionAttributes } from '../registry/types.ts';
import { isCreationOf } from './attributes.ts';
import type { CollectionId } from '../storage/types.ts';
import type { AdmissionPlugin } from './admission-chain.ts';
import { find, type ObjectReader } from './object-reader.ts';

type RuntimeClass = Stored<ClassFields>;

export function createRuntimeClassPlugin(
  reader: ObjectReader,
  { apiDomain }: NamingProfile,
): AdmissionPlugin {
  const collection = `node.${apiDomain}/runtimeclasses`;
  return {
    name: 'RuntimeClass',
    admit(attributes): MaybePromise<void> {
      if (!isCreationOf(attributes, 'pods')) return undefined;
      const { spec = {} } = attributes.object as Stored<PodFields>;
      const name = spec.runtimeClassName ?? '';
      if (name !== '') return applyClass(attributes, spec, { reader, collection, name });
      setOverhead(attributes, spec, undefined);
      return undefined;
    },
  };
}

/** @throws StatusError 403 where there is no such class, or the pod contradicts it */
async function applyClass(
  attributes: AdmissionAttributes,
  spec: PodSpec,
  at: { readonly reader: ObjectReader; readonly collection: CollectionId; readonly name: string },
): Promise<void> {
  const found = await find(at.reader, at.collection, at.name, attributes.scope.signal);
  if (!found) throw rejected(attributes, `pod rejected: RuntimeClass "${at.name}" not found`);
  setOverhead(attributes, spec, found);
  setScheduling(attributes, spec, found);
}

function rejected({ scope, name }: AdmissionAttributes, problem: string): Error {
  return forbidden(scope.resource.gvr, name, problem);
}

/** @throws StatusError 403 where the pod says something else */
function setOverhead(attributes: AdmissionAttributes, spec: PodSpec, found: RuntimeClass | undefined): void {
  const fixed = found?.overhead?.podFixed ?? {};
  const sent = spec.overhead ?? {};
  const isFixed = Object.values(fixed).some((amount) => quantityOf(amount).nanos !== 0n);
  if (Object.keys(sent).length > 0 && !isFixed)
    throw rejected(
      attributes,
      'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
    );
  if (Object.keys(sent).length > 0 && Object.keys(difference(sent, fixed)).length > 0)
    throw rejected(attributes, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
  if (isFixed) spec.overhead = { ...fixed };
}

/** @throws StatusError 403 where pod and class want different nodes */
function setScheduling(attributes: AdmissionAttributes, spec: PodSpec, found: RuntimeClass): void {
  const { nodeSelector = {}, tolerations = [] } = found.scheduling ?? {};
  for (const [key, value] of Object.entries(nodeSelector)) {
    const own = spec.nodeSelector?.[key];
    if (own === undefined || own === value) continue;
    const [ofClass, ofPod] = [
      `runtimeClass.scheduling.nodeSelector[${key}]`,
      `pod.spec.nodeSelector[${key}]`,
    ];
    throw rejected(attributes, `conflict: ${ofClass} = ${value}; ${ofPod} = ${own}`);
  }
  if (Object.keys(nodeSelector).length > 0) spec.nodeSelector = { ...spec.nodeSelector, ...nodeSelector };
  if (tolerations.length === 0) return;
  const present: readonly Toleration[] = spec.tolerations ?? [];
  const known = new Set(present.map(textOf));
  const missing = tolerations.filter((one) => !known.has(textOf(one)));
  if (missing.length > 0) spec.tolerations = [...present, ...missing.map((one) => ({ ...one }))];
}

function textOf(toleration: Toleration): string {
  return canonicalJson(toleration as JsonObject);
}
