/** Amounts that are a number or a share in percent. */
import type { FieldError } from '../../meta/field-error.ts';
import { invalid } from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';
import type { Rule } from './rules.ts';

const percentage = /^([0-9]+)%$/;

/** The number before the percent sign; undefined for what is no percentage. */
export function percentOf(value: number | string): number | undefined {
  const digits = typeof value === 'string' ? percentage.exec(value)?.[1] : undefined;
  return digits === undefined ? undefined : Number(digits);
}

/** Not negative, or a percentage. */
export const intOrPercent: Rule<number | string> = (value, path) => {
  if (typeof value === 'number')
    return value < 0 ? [invalid(path, value, 'must be greater than or equal to 0')] : [];
  return percentOf(value) === undefined
    ? [invalid(path, value, "must be an integer or percentage (e.g. '5%%')".replace('%%', '%'))]
    : [];
};

/** No share is larger than the whole. */
export function atMostWhole(value: number | string, path: FieldPath): FieldError[] {
  return (percentOf(value) ?? 0) > 100 ? [invalid(path, value, 'must not be greater than 100%')] : [];
}

/** The amount as a number, percentages as their digits: enough to tell zero. */
export function amountOf(value: number | string | null | undefined): number {
  return typeof value === 'number' ? value : (percentOf(value ?? '') ?? 0);
}
