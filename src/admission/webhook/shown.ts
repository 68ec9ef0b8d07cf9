/** Objects of a write as a webhook or a policy sees them: in the version that its rules name. */
import { deepCopy, type JsonObject } from '../../base/json.ts';
import { asJson, type ApiObject } from '../../meta/object.ts';
import type { AdmissionAttributes, ServedResource } from '../../registry/types.ts';

/** A copy in the version of the resource. @throws StatusError 500 where it cannot be converted */
export async function shown(
  object: ApiObject | undefined,
  resource: ServedResource,
  { kind, scope }: AdmissionAttributes,
): Promise<JsonObject | null> {
  if (!object) return null;
  const copy = deepCopy(asJson(object));
  if (kind) return copy;
  const { conversion } = resource;
  const internal = resource === scope.resource ? copy : await conversion.internalFrom(copy, scope.signal);
  return conversion.fromInternal(internal);
}
