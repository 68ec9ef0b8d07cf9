/** The plugins of admission policies over policies and bindings of a test, without a server. */
import { createAdmissionChain, type AdmissionPlugin } from '../../src/admission/admission-chain.ts';
import type { AccessAnswer, AccessDecider } from '../../src/admission/access-checker.ts';
import {
  createMutatingPolicyIndex,
  type MutatingPolicyIndex,
} from '../../src/admission/mutating-policy/mutating-policy.ts';
import { createMutatingPolicies } from '../../src/admission/mutating-policy/plugin.ts';
import type { PolicyIndex, PolicyInformer } from '../../src/admission/policy/policy-index.ts';
import type { Binding, Policy } from '../../src/admission/policy/policy.ts';
import { createValidatingPolicies } from '../../src/admission/validating-policy/plugin.ts';
import {
  createValidatingPolicyIndex,
  type ValidatingPolicyIndex,
} from '../../src/admission/validating-policy/validating-policy.ts';
import type { JsonObject } from '../../src/base/json.ts';
import type { MaybePromise } from '../../src/base/maybe-promise.ts';
import { systemClock } from '../../src/base/clock.ts';
import { atOnce } from '../../src/base/sliced-work.ts';
import { encodeStored } from '../../src/codec/stored.ts';
import { createAdmissionMetrics } from '../../src/observe/admission-metrics.ts';
import { Metrics } from '../../src/observe/metrics.ts';
import { newestRelease } from '../../src/observe/release.ts';
import { newEntry } from '../../src/registry/written-entry.ts';
import type { AdmissionChain } from '../../src/registry/types.ts';
import type { Entry } from '../../src/storage/types.ts';
import { naming, readerOf } from './admission.ts';
import { realCatalogue } from './catalogue.ts';

/** What a test finds, and what authorizers answer: by default they allow nothing. */
export interface Surroundings {
  /** By `collection/key`. */
  readonly objects?: Readonly<Record<string, object>>;
  readonly decide?: (...args: Parameters<AccessDecider['decide']>) => MaybePromise<AccessAnswer>;
}

export interface Judged {
  readonly plugin: AdmissionPlugin;
  readonly index: ValidatingPolicyIndex;
  readonly metrics: Metrics;
}

export interface Mutated {
  readonly plugin: AdmissionPlugin;
  readonly index: MutatingPolicyIndex;
  readonly metrics: Metrics;
  /** The plugin, and others behind it. */
  chain(...behind: AdmissionPlugin[]): AdmissionChain;
}

function entryOf(name: string, spec: JsonObject): Entry {
  return newEntry('policies', name, encodeStored({ metadata: { name }, spec }), 1);
}

/** A policy about every write of a ConfigMap, and its binding. */
export function put<P extends Policy, B extends Binding>(
  index: PolicyIndex<P, B>,
  policy: JsonObject,
  binding: JsonObject = {},
  name = 'p',
): void {
  const rule = { operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] };
  const matchConstraints = { resourceRules: [rule] };
  atOnce(index.putPolicy(entryOf(name, { matchConstraints, ...policy })));
  putBinding(index, `${name}-b`, { policyName: name, ...binding });
}

/** A binding of the policy `p`, unless it says otherwise. */
export function putBinding<P extends Policy, B extends Binding>(
  index: PolicyIndex<P, B>,
  name: string,
  binding: JsonObject,
): void {
  atOnce(index.putBinding(entryOf(name, { policyName: 'p', validationActions: ['Deny'], ...binding })));
}

export function judgedBy(objects: Readonly<Record<string, object>> = {}, more: Surroundings = {}): Judged {
  const index = createValidatingPolicyIndex();
  const metrics = new Metrics({ release: newestRelease });
  const plugin = createValidatingPolicies({
    ...partsOf({ objects, ...more }),
    informer: informerOf(index),
    metrics: createAdmissionMetrics(metrics),
  });
  return { plugin, index, metrics };
}

export function mutatedBy(surroundings: Surroundings = {}): Mutated {
  const index = createMutatingPolicyIndex();
  const metrics = new Metrics({ release: newestRelease });
  const plugin = createMutatingPolicies({
    ...partsOf(surroundings),
    isFeatureEnabled: () => true,
    informer: informerOf(index),
    metrics: createAdmissionMetrics(metrics),
  });
  return { plugin, index, metrics, chain: (...behind) => createAdmissionChain([plugin, ...behind]) };
}

function informerOf<P extends Policy, B extends Binding>(index: PolicyIndex<P, B>): PolicyInformer<P, B> {
  return {
    index,
    isLoaded: () => true,
    problem: () => undefined,
    loaded: Promise.resolve(),
    close: () => undefined,
  };
}

function partsOf({
  objects = {},
  decide = () => ({ isAllowed: false, reason: '' }),
}: Surroundings): Omit<Parameters<typeof createValidatingPolicies>[0], 'informer' | 'metrics'> {
  const reader = readerOf(objects);
  return {
    ...{ reader, clock: systemClock, access: { decide } },
    namespaces: {
      peek: (name: string) => reader.peek('core/namespaces', name),
      read: async (name: string) => reader.peek('core/namespaces', name),
    },
    catalogue: realCatalogue(naming).catalogue,
    storage: {
      view: () => {
        throw new Error('no selector is used');
      },
    },
  };
}
