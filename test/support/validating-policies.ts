/** The plugin ValidatingAdmissionPolicy over policies and bindings of a test, without a server. */
import type { AdmissionPlugin } from '../../src/admission/admission-chain.ts';
import { createValidatingPolicies } from '../../src/admission/validating-policy/plugin.ts';
import { ValidatingPolicyIndex } from '../../src/admission/validating-policy/policy-index.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { systemClock } from '../../src/base/clock.ts';
import { encodeStored } from '../../src/codec/stored.ts';
import { createAdmissionMetrics } from '../../src/observe/admission-metrics.ts';
import { Metrics } from '../../src/observe/metrics.ts';
import { newEntry } from '../../src/registry/written-entry.ts';
import type { Entry } from '../../src/storage/types.ts';
import { naming, readerOf } from './admission.ts';
import { realCatalogue } from './catalogue.ts';

export interface Judged {
  readonly plugin: AdmissionPlugin;
  readonly index: ValidatingPolicyIndex;
  readonly metrics: Metrics;
}

function entryOf(name: string, spec: JsonObject): Entry {
  return newEntry('policies', name, encodeStored({ metadata: { name }, spec }), 1);
}

export function put(
  index: ValidatingPolicyIndex,
  policy: JsonObject,
  binding: JsonObject = {},
  name = 'p',
): void {
  const rule = { operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] };
  const matchConstraints = { resourceRules: [rule] };
  index.putPolicy(entryOf(name, { matchConstraints, ...policy }));
  putBinding(index, `${name}-b`, { policyName: name, ...binding });
}

/** A binding of the policy `p`, unless it says otherwise. */
export function putBinding(index: ValidatingPolicyIndex, name: string, binding: JsonObject): void {
  index.putBinding(entryOf(name, { policyName: 'p', validationActions: ['Deny'], ...binding }));
}

/** @param objects that are found, by `collection/key` */
export function judgedBy(objects: Readonly<Record<string, object>> = {}): Judged {
  const index = new ValidatingPolicyIndex();
  const metrics = new Metrics();
  const reader = readerOf(objects);
  const namespaces = {
    peek: (name: string) => reader.peek('core/namespaces', name),
    read: async (name: string) => reader.peek('core/namespaces', name),
  };
  const plugin = createValidatingPolicies({
    ...{ reader, namespaces, clock: systemClock },
    catalogue: realCatalogue(naming).catalogue,
    storage: {
      view: () => {
        throw new Error('no selector is used');
      },
    },
    informer: { index, isLoaded: () => true, loaded: Promise.resolve(), close: () => undefined },
    metrics: createAdmissionMetrics(metrics),
  });
  return { plugin, index, metrics };
}
