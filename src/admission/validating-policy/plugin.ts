/** ValidatingAdmissionPolicy (KEP-3488): policies in the expression language judge what will be written, through their bindings. */
import { EvaluationTurns } from '../../cel/evaluation-turns.ts';
import type { Environment } from '../../base/environment.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { AdmissionMetrics } from '../../observe/admission-metrics.ts';
import type { AdmissionAttributes } from '../../registry/types.ts';
import type { AdmissionPlugin } from '../admission-chain.ts';
import { isExempt } from '../policy/exempt.ts';
import { policiesLoaded, type PolicyInformer } from '../policy/policy-index.ts';
import { ConfigurationProblem } from '../policy/policy-params.ts';
import { boundPolicies, PolicyInputs, type BoundPolicy, type PolicyParts } from '../policy/policy-inputs.ts';
import { seen } from '../webhook/shown.ts';
import { Findings } from './findings.ts';
import { judge } from './judge.ts';
import type { ValidatingBinding, ValidatingPolicy } from './validating-policy.ts';

export interface ValidatingPolicyDependencies extends Pick<Environment, 'clock'>, PolicyParts {
  readonly informer: PolicyInformer<ValidatingPolicy, ValidatingBinding>;
  readonly metrics: Pick<AdmissionMetrics, 'policyChecks' | 'policyDuration'>;
}

export function createValidatingPolicies(parts: ValidatingPolicyDependencies): AdmissionPlugin {
  const { informer } = parts;
  const judged = (attributes: AdmissionAttributes): MaybePromise<void> => {
    if (informer.index.isEmpty || isExempt(attributes)) return undefined;
    const policies = informer.index.policiesFor(attributes.scope.resource.gvr.resource);
    return policies.length === 0 ? undefined : new PolicyCheck(parts, attributes).check(policies);
  };
  return {
    name: 'ValidatingAdmissionPolicy',
    validate(attributes) {
      if (isExempt(attributes)) return;
      if (informer.isLoaded()) return judged(attributes);
      return policiesLoaded(informer, attributes.scope.signal).then(() => judged(attributes));
    },
  };
}

/** The policies about one write. */
class PolicyCheck {
  private readonly parts: ValidatingPolicyDependencies;
  private readonly attributes: AdmissionAttributes;
  private readonly findings: Findings;
  private readonly turns = new EvaluationTurns();
  private readonly inputs: PolicyInputs;

  constructor(parts: ValidatingPolicyDependencies, attributes: AdmissionAttributes) {
    this.parts = parts;
    this.attributes = attributes;
    this.findings = new Findings(attributes, parts.metrics);
    this.inputs = new PolicyInputs(parts, attributes, seen);
  }

  /** @throws StatusError where one refuses */
  async check(policies: readonly ValidatingPolicy[]): Promise<void> {
    const { parts, attributes, turns } = this;
    const { index } = parts.informer;
    for await (const bound of boundPolicies({ parts, attributes, turns }, index, policies))
      await this.binding(bound);
    this.findings.conclude();
  }

  private async binding(bound: BoundPolicy<ValidatingPolicy, ValidatingBinding>): Promise<void> {
    const { parts, attributes, findings, turns } = this;
    const { policy, binding, resource } = bound;
    const invocations = await this.inputs.invocations(bound).catch((error: unknown) => {
      if (!(error instanceof ConfigurationProblem)) throw error;
      findings.addProblem(policy, binding, error.message);
      return [];
    });
    for (const { param } of invocations) {
      attributes.scope.signal.throwIfAborted();
      const input = await this.inputs.of(resource);
      const since = parts.clock.monotonic();
      const judgement = await judge(policy, { ...input, params: param }, turns);
      findings.add(policy, binding, judgement, (parts.clock.monotonic() - since) / 1_000);
    }
  }
}
