/** Labels and annotations. */
import type { FieldError } from '../../meta/field-error.ts';
import { collect, tooLong } from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';
import { labelMaxLength, qualifiedName } from './name-rules.ts';
import type { Maybe } from './rules.ts';
import { invalidEach } from './rules.ts';

/** Keys and values of all annotations together. */
export const annotationsMaxBytes = 256 * 1024;

const labelValuePattern = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;

/** Messages of what is wrong with a label's value; empty is allowed. */
export function labelValue(value: string): string[] {
  const isFit = labelValuePattern.test(value);
  if (isFit && value.length <= labelMaxLength) return [];
  const length =
    value.length > labelMaxLength ? [`must be no more than ${String(labelMaxLength)} characters`] : [];
  const shape = isFit
    ? []
    : [
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue')",
      ];
  return [...length, ...shape];
}

/** The key of a label, reported at the path of the map. */
export function validateLabelName(key: string, path: FieldPath): FieldError[] {
  return invalidEach(key, path, qualifiedName(key));
}

export function validateLabels(
  labels: Maybe<Readonly<Record<string, string>>>,
  path: FieldPath,
): FieldError[] {
  const all: FieldError[] = [];
  if (labels === undefined || labels === null) return all;
  for (const key of Object.keys(labels)) {
    const value = labels[key] ?? '';
    collect(all, validateLabelName(key, path));
    if (!collect(all, invalidEach(value, path, labelValue(value)))) break;
  }
  return all;
}

/** Keys are qualified names in any case; the total size is bounded. */
export function validateAnnotations(
  annotations: Maybe<Readonly<Record<string, string>>>,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  if (annotations === undefined || annotations === null) return errors;
  const keys = Object.keys(annotations);
  for (const key of keys) {
    if (!collect(errors, invalidEach(key, path, qualifiedName(key.toLowerCase())))) break;
  }
  return [...errors, ...validateAnnotationsSize(annotations, path)];
}

/** Of keys and values together. */
export function validateAnnotationsSize(
  annotations: Readonly<Record<string, string>>,
  path: FieldPath,
): FieldError[] {
  return isTooLarge(annotations, Object.keys(annotations)) ? [tooLong(path, annotationsMaxBytes)] : [];
}

/** A character has at most three bytes, so that the bytes of small ones (each 60 ns) need not be counted. */
function isTooLarge(annotations: Readonly<Record<string, string>>, keys: readonly string[]): boolean {
  let characters = 0;
  for (const key of keys) characters += key.length + (annotations[key] ?? '').length;
  if (characters * 3 <= annotationsMaxBytes) return false;
  let bytes = 0;
  for (const key of keys) bytes += Buffer.byteLength(key) + Buffer.byteLength(annotations[key] ?? '');
  return bytes > annotationsMaxBytes;
}
