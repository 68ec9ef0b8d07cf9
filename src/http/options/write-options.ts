/** Query parameters of writes: dryRun, fieldManager, fieldValidation, force. */
import { dryRunErrors } from '../../meta/dry-run.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { forbidden, invalid, notSupported, required, tooLong } from '../../meta/field-error.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { metaGroup } from '../../meta/naming.ts';
import { invalidObject } from '../../meta/status.ts';
import type { RequestContext } from '../request-context.ts';
import type { Query } from '../query.ts';

export type OptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions';

export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  /** Absent if invalid fields are silently dropped, which is the default. */
  readonly fieldValidation?: SentFields;
}

/** The field validation directive, and the invalid fields that the decoder finds. */
export interface SentFields {
  readonly directive: 'Strict' | 'Warn';
  readonly errors: string[];
}

const directives = ['Ignore', 'Strict', 'Warn'] as const;

const maxManagerLength = 128;

/** @throws StatusError 422 with every error */
export function parseWriteOptions(
  context: RequestContext,
  kind: OptionsKind,
  naming: NamingProfile,
): WriteOptions {
  const { query } = context;
  if (query.text === '') return { dryRun: false, fieldManager: managerFromAgent(context) };
  const manager = query.get('fieldManager');
  const errors = [
    ...dryRunErrors(query.all('dryRun')),
    ...managerErrors(manager),
    ...fieldValidationErrors(query),
  ];
  if (kind === 'PatchOptions' && query.has('force')) {
    errors.push(forbidden('force', 'may not be specified for non-apply patch'));
  }
  assertNoErrors(kind, naming, errors);
  return {
    dryRun: query.has('dryRun'),
    fieldManager: manager === '' ? managerFromAgent(context) : manager,
    ...fieldValidationOf(query),
  };
}

export interface ApplyWriteOptions extends WriteOptions {
  readonly force: boolean;
}

/**
 * Query parameters of an apply, which requires a field manager.
 * @throws StatusError 400, 422 as `parseWriteOptions` does
 */
export function parseApplyOptions(context: RequestContext, naming: NamingProfile): ApplyWriteOptions {
  const { query } = context;
  const fieldManager = query.get('fieldManager');
  const missing = fieldManager === '' ? [required('fieldManager', 'is required for apply patch')] : [];
  const errors = [
    ...dryRunErrors(query.all('dryRun')),
    ...missing,
    ...managerErrors(fieldManager),
    ...fieldValidationErrors(query),
  ];
  assertNoErrors('PatchOptions', naming, errors);
  const force = isTrue(query.get('force'));
  return { dryRun: query.has('dryRun'), fieldManager, force, ...fieldValidationOf(query) };
}

function fieldValidationErrors(query: Query): FieldError[] {
  const sent = query.get('fieldValidation');
  return sent === '' || directives.some((d) => d === sent)
    ? []
    : [notSupported('fieldValidation', sent, directives)];
}

function fieldValidationOf(query: Query): { fieldValidation?: SentFields } {
  const sent = query.get('fieldValidation');
  return sent === 'Strict' || sent === 'Warn' ? { fieldValidation: { directive: sent, errors: [] } } : {};
}

/** Booleans of a query: everything but these words is true. */
function isTrue(text: string): boolean {
  return !['', '0', 'f', 'F', 'false', 'False', 'FALSE'].includes(text);
}

/** @throws StatusError 422 on the options' kind when there are errors */
export function assertNoErrors(
  kind: OptionsKind,
  naming: NamingProfile,
  errors: readonly FieldError[],
): void {
  if (errors.length > 0) throw invalidObject({ group: metaGroup(naming), kind }, '', errors);
}

function managerErrors(manager: string): FieldError[] {
  const errors: FieldError[] = [];
  if (Buffer.byteLength(manager) > maxManagerLength) errors.push(tooLong('fieldManager', maxManagerLength));
  if (!/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u.test(manager)) {
    errors.push(invalid('fieldManager', manager, 'should only contain printable characters'));
  }
  return errors;
}

/** The program name in the User-Agent: `kubectl` of `kubectl/v1.21 …`. */
function managerFromAgent(context: RequestContext): string {
  const [program = ''] = context.header('user-agent').split('/', 1);
  const printable = program.replace(/[^\u0020-\u007e]/g, '').slice(0, maxManagerLength);
  return printable === '' ? 'unknown' : printable;
}
