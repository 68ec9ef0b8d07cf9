/** Which capabilities a policy adds, drops and allows. */
import type { Capabilities } from '../../api/core/v1.types.ts';
import type { PodSecurityPolicySpec } from '../../api/policy/v1beta1.types.ts';
import { invalid, type FieldError } from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';

const all = '*';

type Sent = Capabilities | null | undefined;

/** The capabilities of a container with those of the policy; unchanged ones are given back as they are. */
export function completedCapabilities(spec: PodSecurityPolicySpec, sent: Sent): Sent {
  const [add, drop] = [new Set(sent?.add), new Set(sent?.drop)];
  const added = add.union(new Set(spec.defaultAddCapabilities).difference(drop));
  const dropped = drop.union(new Set(spec.requiredDropCapabilities));
  if (added.size === add.size && dropped.size === drop.size) return sent;
  return {
    ...(added.size > 0 && { add: [...added].sort() }),
    ...(dropped.size > 0 && { drop: [...dropped].sort() }),
  };
}

export function validateCapabilities(spec: PodSecurityPolicySpec, at: FieldPath, sent: Sent): FieldError[] {
  const [initial, required] = [spec.defaultAddCapabilities ?? [], spec.requiredDropCapabilities ?? []];
  if (!sent) {
    const isEnough = initial.length === 0 && required.length === 0;
    return isEnough ? [] : [invalid(at, null, 'required capabilities are not set on the securityContext')];
  }
  const allowed = new Set([...(spec.allowedCapabilities ?? []), ...initial]);
  if (spec.allowedCapabilities?.includes(all) === true) return [];
  const dropped = new Set(sent.drop);
  return [
    ...(sent.add ?? [])
      .filter((one) => !allowed.has(one))
      .map((one) => invalid(at.child('add'), one, 'capability may not be added')),
    ...required
      .filter((one) => !dropped.has(one))
      .map((one) =>
        invalid(at.child('drop'), sent.drop ?? [], `${one} is required to be dropped but was not found`),
      ),
  ];
}
