/** Query parameters of writes: dryRun, fieldManager, fieldValidation, force. */
import { dryRunErrors } from '../../meta/dry-run.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { forbidden, invalid, notSupported, required, tooLong } from '../../meta/field-error.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { metaGroup } from '../../meta/naming.ts';
import { badRequest, invalidObject } from '../../meta/status.ts';
import type { Release } from '../../observe/release.ts';
import type { RequestContext } from '../request-context.ts';
import type { Query } from '../query.ts';

export type OptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions';

export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  /** Absent if invalid fields are silently dropped, which is the default before release 1.23. */
  readonly fieldValidation?: SentFields;
}

/** The field validation directive, and the invalid fields that the decoder finds. */
export interface SentFields {
  readonly directive: 'Strict' | 'Warn';
  readonly errors: string[];
}

/** What the gates and the release make of the options. */
export interface WriteRules {
  readonly takesDryRuns: boolean;
  /** What happens with invalid fields when nothing else is asked for; `off`: whatever is asked for, they are dropped. */
  readonly fieldValidation: 'Ignore' | 'Warn' | 'off';
}

/** The first release with `fieldValidation` (KEP-2885), and with warnings as the default. Releases before it take it here, too. */
const firstValidating = 23;

export function writeRulesOf({ minor }: Release, isFeatureEnabled: (gate: string) => boolean): WriteRules {
  const usual = minor < firstValidating ? 'Ignore' : 'Warn';
  return {
    takesDryRuns: isFeatureEnabled('DryRun'),
    fieldValidation: isFeatureEnabled('ServerSideFieldValidation') ? usual : 'off',
  };
}

/** @throws StatusError 400 where dry runs are switched off */
export function assertTakesDryRun({ query }: RequestContext, { takesDryRuns }: WriteRules): void {
  if (!takesDryRuns && query.has('dryRun')) throw badRequest('the dryRun feature is disabled');
}

const directives = ['Ignore', 'Strict', 'Warn'] as const;

const maxManagerLength = 128;

/** What options are read by. */
export interface OptionsParts {
  readonly naming: NamingProfile;
  readonly writeRules: WriteRules;
}

/** @throws StatusError 400, and 422 with every error */
export function parseWriteOptions(
  context: RequestContext,
  kind: OptionsKind,
  { naming, writeRules }: OptionsParts,
): WriteOptions {
  const { query } = context;
  const usual = fieldValidationOf(query, writeRules);
  if (query.text === '') return { dryRun: false, fieldManager: managerFromAgent(context), ...usual };
  assertTakesDryRun(context, writeRules);
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
    ...usual,
  };
}

export interface ApplyWriteOptions extends WriteOptions {
  readonly force: boolean;
}

/**
 * Query parameters of an apply, which requires a field manager.
 * @throws StatusError 400, 422 as `parseWriteOptions` does
 */
export function parseApplyOptions(
  context: RequestContext,
  { naming, writeRules }: OptionsParts,
): ApplyWriteOptions {
  const { query } = context;
  assertTakesDryRun(context, writeRules);
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
  return { dryRun: query.has('dryRun'), fieldManager, force, ...fieldValidationOf(query, writeRules) };
}

function fieldValidationErrors(query: Query): FieldError[] {
  const sent = query.get('fieldValidation');
  return sent === '' || directives.some((d) => d === sent)
    ? []
    : [notSupported('fieldValidation', sent, directives)];
}

function fieldValidationOf(
  query: Query,
  { fieldValidation: usual }: WriteRules,
): { fieldValidation?: SentFields } {
  const sent = (query.text === '' ? '' : query.get('fieldValidation')) || usual;
  const isAsked = usual !== 'off' && (sent === 'Strict' || sent === 'Warn');
  return isAsked ? { fieldValidation: { directive: sent, errors: [] } } : {};
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
