/**
 * Types of what another server answers. One whose answer has other types is broken, and what it meant is not guessed: a
 * webhook that says `denied: "true"` would otherwise have denied nothing. The reference's decoders refuse such answers, too.
 */
import { isObject, type JsonObject, type JsonValue } from '../base/json.ts';

/** Whether a value is of a type; null stands for what is left out, as in every document of the API. */
export type AnswerType = (value: JsonValue | undefined) => boolean;

export const isFlag: AnswerType = (value) => typeof value === 'boolean';
export const isText: AnswerType = (value) => typeof value === 'string' || value === null;
export const isTexts: AnswerType = (value) => Array.isArray(value) && value.every(isText);
export const isMapOf =
  (isOfType: AnswerType): AnswerType =>
  (value) =>
    isObject(value) && Object.values(value).every((each) => each === null || isOfType(each));

/**
 * @param path of the object in the answer, for the error
 * @param types of members, each of which may be absent
 * @throws Error that names the member
 */
export function assertTypes(
  object: JsonObject,
  path: string,
  types: Readonly<Record<string, AnswerType>>,
): void {
  for (const [name, isOfType] of Object.entries(types)) {
    const value = object[name] ?? null;
    if (value !== null && !isOfType(value)) throw new Error(`${path}.${name} has a wrong type`);
  }
}
