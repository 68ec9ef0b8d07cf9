/** What went wrong with the mutating policies of one write, and the refusal that it leads to. */
import { forbidden, StatusError } from '../../meta/status.ts';
import type { AdmissionAttributes } from '../../registry/types.ts';
import type { Binding, Policy } from '../policy/policy.ts';

const code = 403;

export class Refusals {
  private readonly messages: string[] = [];
  private reason = '';

  /** Of a policy that ignores failures it is none. @param reason of the status, where this problem is the first one */
  add(policy: Policy, binding: Binding, message: string, reason: 'Invalid' | 'Forbidden'): void {
    if (policy.ignoresFailure) return;
    if (this.messages.length === 0) this.reason = reason;
    this.messages.push(`policy '${policy.name}' with binding '${binding.name}' denied request: ${message}`);
  }

  /** @throws StatusError 403 with the first problem, and all as its causes */
  conclude({ scope, name }: AdmissionAttributes): void {
    const [first] = this.messages;
    if (first === undefined) return;
    const { status } = forbidden(scope.resource.gvr, name, first);
    const details = { ...status.details, causes: this.messages.map((message) => ({ message })) };
    throw new StatusError(code, this.reason, first, { details });
  }
}
