/** Objects of a write as a webhook or a policy sees them: in the version that its rules name. */
import { deepCopy, type JsonObject } from '../../base/json.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { EvaluationTurns } from '../../cel/evaluation-turns.ts';
import { asJson, type ApiObject } from '../../meta/object.ts';
import type { AdmissionAttributes, ServedResource } from '../../registry/types.ts';

/** The same for those who only read: a copy only where it must be converted. @throws as `shown` */
export function seen(
  object: ApiObject | undefined,
  resource: ServedResource,
  attributes: AdmissionAttributes,
): MaybePromise<JsonObject | null> {
  if (!object) return null;
  const isAsStored = resource === attributes.scope.resource && resource.conversion.isInternal;
  return isAsStored || attributes.kind ? asJson(object) : shown(object, resource, attributes);
}

/** Copies take turns with the expressions that look at them. */
const turns = new EvaluationTurns();

/** A copy in the version of the resource, made in its turn. @throws StatusError 500 where it cannot be converted */
export async function shown(
  object: ApiObject | undefined,
  resource: ServedResource,
  attributes: AdmissionAttributes,
): Promise<JsonObject | null> {
  return object ? await turns.inTurn(() => copyOf(object, resource, attributes)) : null;
}

async function copyOf(
  object: ApiObject,
  resource: ServedResource,
  { kind, scope }: AdmissionAttributes,
): Promise<JsonObject> {
  const copy = deepCopy(asJson(object));
  if (kind) return copy;
  const { conversion } = resource;
  const internal = resource === scope.resource ? copy : await conversion.internalFrom(copy, scope.signal);
  return conversion.fromInternal(internal);
}
