/** What the policies found about one request, by the actions of their bindings: a refusal, warnings, annotations of the audit. */
import { StatusError, forbidden } from '../../meta/status.ts';
import type { AdmissionMetrics } from '../../observe/admission-metrics.ts';
import type { AdmissionAttributes } from '../../registry/types.ts';
import type { ErrorType } from '../policy/error-type.ts';
import type { Failure, Judgement } from './judge.ts';
import type { Policy } from '../policy/policy.ts';
import type { ValidatingBinding as Binding } from './validating-policy.ts';

type Metrics = Pick<AdmissionMetrics, 'policyChecks' | 'policyDuration'>;

const codes: Readonly<Record<string, number>> = {
  Unauthorized: 401,
  Forbidden: 403,
  RequestEntityTooLarge: 413,
};
const unprocessable = 422;

export class Findings {
  private readonly attributes: AdmissionAttributes;
  private readonly metrics: Metrics;
  private readonly annotations = new Map<string, Set<string>>();
  private readonly audited: object[] = [];
  private refusal: { readonly text: string; readonly reason: string } | undefined;

  constructor(attributes: AdmissionAttributes, metrics: Metrics) {
    this.attributes = attributes;
    this.metrics = metrics;
  }

  /** What a policy found by a binding. @param seconds that it took */
  add(policy: Policy, binding: Binding, judgement: Judgement, seconds: number): void {
    const { failures, refusals, annotations, ignored } = judgement;
    const count = (action: string, errorType: ErrorType): void => {
      this.count(policy, binding, { action, errorType, seconds });
    };
    for (const [key, value] of annotations) this.annotate(`${policy.name}/${key}`, value);
    for (const failure of refusals) this.refuse(policy, binding, failure);
    for (const failure of failures) {
      for (const action of binding.actions) count(action.toLowerCase(), failure.errorType);
      this.act(policy, binding, failure);
    }
    if (failures.length === 0) count('allow', ignored);
  }

  /** A binding cannot be obeyed. */
  addProblem(policy: Policy, binding: Binding, message: string): void {
    this.count(policy, binding, {
      action: policy.ignoresFailure ? 'allow' : 'deny',
      ...{ errorType: 'invalid_error', seconds: 0 },
    });
    if (!policy.ignoresFailure)
      this.refuse(policy, binding, { message, reason: '', index: 0, errorType: 'invalid_error' });
  }

  private count(
    policy: Policy,
    binding: Binding,
    {
      action,
      errorType,
      seconds,
    }: { readonly action: string; readonly errorType: ErrorType; readonly seconds: number },
  ): void {
    const labels = {
      ...{ policy: policy.name, policy_binding: binding.name, enforcement_action: action },
      // Releases before 1.31 have the state of the policy instead of the type of the error.
      ...{ error_type: errorType, state: 'active' },
    };
    this.metrics.policyChecks.series(labels).add();
    this.metrics.policyDuration.series(labels).observe(seconds);
  }

  private act(policy: Policy, binding: Binding, failure: Failure): void {
    const { actions } = binding;
    const { message, index } = failure;
    if (actions.has('Deny')) this.refuse(policy, binding, failure);
    if (actions.has('Audit'))
      this.audited.push({
        ...{ message, policy: policy.name, binding: binding.name, expressionIndex: index },
        validationActions: [...actions],
      });
    if (actions.has('Warn'))
      this.attributes.scope.warn(`Validation failed for ${nameOf(policy, binding)}: ${message}`);
  }

  /** The first refusal is answered. */
  private refuse(policy: Policy, binding: Binding, { message, reason }: Failure): void {
    this.refusal ??= { text: `${nameOf(policy, binding)} denied request: ${message}`, reason };
  }

  private annotate(key: string, value: string): void {
    const values = this.annotations.get(key);
    if (values) values.add(value);
    else this.annotations.set(key, new Set([value]));
  }

  /** Writes the annotations. @throws StatusError where a policy refuses */
  conclude(): void {
    const { scope, name } = this.attributes;
    const { gvr, naming } = scope.resource;
    for (const [key, values] of this.annotations) scope.annotate?.(key, [...values].join(', '));
    if (this.audited.length > 0)
      scope.annotate?.(
        `validation.policy.admission.${naming.apiDomain}/validation_failure`,
        JSON.stringify(this.audited),
      );
    if (!this.refusal) return;
    const { text, reason: given } = this.refusal;
    const reason = given === '' ? 'Invalid' : given;
    const { message, status } = forbidden(gvr, name, text);
    const details = { ...status.details, causes: [{ message: text }] };
    throw new StatusError(codes[reason] ?? unprocessable, reason, message, { details });
  }
}

function nameOf(policy: Policy, binding: Binding): string {
  return `ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}'`;
}
