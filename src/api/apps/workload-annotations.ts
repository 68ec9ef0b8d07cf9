/** Fields of older versions that newer ones do not have travel in an annotation, as a decimal number. */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { getOwn, isObject } from '../../base/json.ts';

const decimal = /^-?[0-9]{1,19}$/;

/** Revision that a Deployment should go back to. */
export const rollbackAnnotation = 'deprecated.deployment.rollback.to';
/** How often the template of a DaemonSet changed. */
export const templateGenerationAnnotation = 'deprecated.daemonset.template.generation';

function annotationsOf(object: JsonObject): JsonObject | undefined {
  const annotations = isObject(object['metadata']) ? object['metadata']['annotations'] : undefined;
  return isObject(annotations) ? annotations : undefined;
}

/** Writes a number into an annotation. Mutates. */
export function toAnnotation(object: JsonObject, annotation: string, value: JsonValue): void {
  const metadata = (object['metadata'] ??= {}) as JsonObject;
  const annotations = isObject(metadata['annotations']) ? metadata['annotations'] : {};
  metadata['annotations'] = { ...annotations, [annotation]: JSON.stringify(value) };
}

/** Takes a number out of an annotation; undefined when it is missing or no number, then it stays. Mutates. */
export function fromAnnotation(object: JsonObject, annotation: string): JsonValue | undefined {
  const annotations = annotationsOf(object);
  const text = annotations && getOwn(annotations, annotation);
  if (typeof text !== 'string' || !decimal.test(text)) return undefined;
  const { [annotation]: _taken, ...rest } = annotations ?? {};
  const metadata = object['metadata'] as JsonObject;
  if (Object.keys(rest).length === 0) delete metadata['annotations'];
  else metadata['annotations'] = rest;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : JSON.rawJSON(String(BigInt(text)));
}
