/** Values of `dryRun`, wherever they are sent. */
import { quoted } from '../base/short-text.ts';
import type { FieldError } from './field-error.ts';
import { badRequest } from './status.ts';

/** How many values of a dry run are repeated. */
const maxTold = 10;

/**
 * `All` is the only value; an explicitly empty one is no way to leave it out.
 * @throws StatusError 400 for a dry run that does not exist: what would be written then, nobody can tell
 */
export function dryRunFaults(values: readonly unknown[]): FieldError[] {
  if (values.every((v) => v === 'All')) return [];
  const told = values.slice(0, maxTold).map(quoted).join(', ');
  const message = `Unsupported value: []string{${told}}: supported values: "All"`;
  if (values.some((v) => v !== 'All' && v !== '')) throw badRequest(`dryRun: ${message}`);
  return [{ reason: 'FieldValueNotSupported', field: 'dryRun', message }];
}
