/** Labels and annotations. */
import type { FieldError } from '../../meta/field-error.ts';
import { invalid, tooLong } from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';
import { labelMaxLength, qualifiedName } from './names.ts';
import type { Maybe } from './rules.ts';
import { faults } from './rules.ts';

/** Keys and values of all annotations together. */
export const annotationsMaxBytes = 256 * 1024;

const labelValuePattern = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;

/** Messages of what is wrong with a label's value; empty is allowed. */
export function labelValue(value: string): string[] {
  const length =
    value.length > labelMaxLength ? [`must be no more than ${String(labelMaxLength)} characters`] : [];
  const shape = labelValuePattern.test(value)
    ? []
    : [
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue')",
      ];
  return [...length, ...shape];
}

/** The key of a label, told at the path of the map. */
export function validateLabelName(key: string, path: FieldPath): FieldError[] {
  return faults(key, path, qualifiedName(key));
}

export function validateLabels(
  labels: Maybe<Readonly<Record<string, string>>>,
  path: FieldPath,
): FieldError[] {
  return Object.entries(labels ?? {}).flatMap(([key, value]) => [
    ...validateLabelName(key, path),
    ...faults(value, path, labelValue(value)),
  ]);
}

/** Keys are qualified names in any case; the total size is bounded. */
export function validateAnnotations(
  annotations: Maybe<Readonly<Record<string, string>>>,
  path: FieldPath,
): FieldError[] {
  const entries = Object.entries(annotations ?? {});
  const errors = entries.flatMap(([key]) =>
    qualifiedName(key.toLowerCase()).map((message) => invalid(path, key, message)),
  );
  const bytes = entries.reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
  return bytes > annotationsMaxBytes ? [...errors, tooLong(path, annotationsMaxBytes)] : errors;
}
