/** Values of `dryRun`, wherever they are sent. */
import { quoted } from '../base/short-text.ts';
import type { FieldError } from './field-error.ts';

/** How many values of a dry run are repeated. */
const maxReported = 10;

/**
 * `All` is the only value; an explicitly empty one is no way to leave it out.
 */
export function dryRunErrors(values: readonly unknown[]): FieldError[] {
  if (values.every((v) => v === 'All')) return [];
  const reported = values.slice(0, maxReported).map(quoted).join(', ');
  const message = `Unsupported value: []string{${reported}}: supported values: "All"`;
  return [{ reason: 'FieldValueNotSupported', field: 'dryRun', message }];
}
