/** ValidatingAdmissionPolicy (KEP-3488): policies in the expression language judge what will be written, through their bindings. */
import type { AdmissionInput } from '../../cel/admission/environment.ts';
import { EvaluationTurns } from '../../cel/admission/evaluation-budget.ts';
import type { Environment } from '../../base/environment.ts';
import type { JsonObject } from '../../base/json.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { asJson } from '../../meta/object.ts';
import type { AdmissionMetrics } from '../../observe/admission-metrics.ts';
import type { AdmissionAttributes, ResourceCatalogue, ServedResource } from '../../registry/types.ts';
import type { AdmissionPlugin } from '../admission-chain.ts';
import type { NamespaceReader } from '../namespace-lifecycle.ts';
import { requestOf } from '../webhook/admission-review.ts';
import { isConfiguration } from '../webhook/configurations.ts';
import { matchedResource } from '../webhook/match-rules.ts';
import { shown } from '../webhook/shown.ts';
import { Findings } from './findings.ts';
import { judge } from './judge.ts';
import type { Binding, Policy } from './policy.ts';
import type { PolicyInformer } from './policy-index.ts';
import { ConfigurationProblem, paramsOf, type ParamParts } from './policy-params.ts';

export interface PolicyDependencies extends Pick<Environment, 'clock'>, ParamParts {
  readonly catalogue: ResourceCatalogue;
  readonly namespaces: NamespaceReader;
  readonly informer: PolicyInformer;
  readonly metrics: Pick<AdmissionMetrics, 'policyChecks' | 'policyDuration'>;
}

export function createValidatingPolicies(parts: PolicyDependencies): AdmissionPlugin {
  const { informer } = parts;
  const judged = (attributes: AdmissionAttributes): MaybePromise<void> => {
    if (informer.index.isEmpty || isConfiguration(attributes)) return undefined;
    const policies = informer.index.policiesFor(attributes.scope.resource.gvr.resource);
    return policies.length === 0 ? undefined : new PolicyCheck(parts, attributes).check(policies);
  };
  return {
    name: 'ValidatingAdmissionPolicy',
    validate(attributes) {
      if (informer.isLoaded()) return judged(attributes);
      return loaded(informer, attributes.scope.signal).then(() => judged(attributes));
    },
  };
}

/** No write passes before the policies are known. @throws the reason of the signal */
async function loaded(informer: PolicyInformer, signal: AbortSignal): Promise<void> {
  const over = Promise.withResolvers<never>();
  const onAbort = (): void => {
    over.reject(signal.reason as Error);
  };
  signal.throwIfAborted();
  signal.addEventListener('abort', onAbort);
  try {
    await Promise.race([informer.loaded, over.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** The policies about one write. */
class PolicyCheck {
  private readonly parts: PolicyDependencies;
  private readonly attributes: AdmissionAttributes;
  private readonly findings: Findings;
  private readonly turns = new EvaluationTurns();
  private readonly inputs = new Map<ServedResource, AdmissionInput>();

  constructor(parts: PolicyDependencies, attributes: AdmissionAttributes) {
    this.parts = parts;
    this.attributes = attributes;
    this.findings = new Findings(attributes, parts.metrics);
  }

  /** @throws StatusError where one refuses */
  async check(policies: readonly Policy[]): Promise<void> {
    for (const policy of policies) {
      await this.turns.breathe();
      await this.policy(policy);
    }
    this.findings.conclude();
  }

  private async policy(policy: Policy): Promise<void> {
    const { parts, attributes } = this;
    const bindings = parts.informer.index.bindingsOf(policy);
    if (bindings.length === 0) return;
    const resource = await matchedResource(parts, policy.matcher, attributes);
    if (!resource) return;
    const input = await this.inputFor(resource);
    for (const binding of bindings) {
      await this.turns.breathe();
      if (!binding.matcher || (await matchedResource(parts, binding.matcher, attributes)))
        await this.binding(policy, binding, input);
    }
  }

  private async binding(policy: Policy, binding: Binding, input: AdmissionInput): Promise<void> {
    const { parts, attributes, findings, turns } = this;
    const params = await paramsOf(parts, policy, binding, attributes).catch((error: unknown) => {
      if (!(error instanceof ConfigurationProblem)) throw error;
      findings.addProblem(policy, binding, error.message);
      return [];
    });
    for (const param of params) {
      attributes.scope.signal.throwIfAborted();
      const since = parts.clock.monotonic();
      const judgement = await judge(policy, { ...input, params: param }, turns);
      findings.add(policy, binding, judgement, (parts.clock.monotonic() - since) / 1_000);
    }
  }

  /** The same for all policies that name the same version. */
  private async inputFor(resource: ServedResource): Promise<AdmissionInput> {
    const known = this.inputs.get(resource);
    if (known) return known;
    const { attributes } = this;
    const input = {
      object: await shown(attributes.object, resource, attributes),
      oldObject: await shown(attributes.oldObject, resource, attributes),
      request: requestOf(attributes, resource),
      namespaceObject: await this.namespaceObject(),
    };
    this.inputs.set(resource, input);
    return input;
  }

  private async namespaceObject(): Promise<JsonObject | null> {
    const { scope } = this.attributes;
    if (!scope.resource.namespaced || scope.namespace === '') return null;
    const { namespaces } = this.parts;
    const found = namespaces.peek(scope.namespace) ?? (await namespaces.read(scope.namespace, scope.signal));
    return found ? asJson(found) : null;
  }
}
