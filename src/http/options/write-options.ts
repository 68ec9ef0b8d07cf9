/** Query of the writes: dry run, field manager, force. */
import type { FieldError } from '../../meta/field-error.ts';
import { forbidden, invalid, notSupported, required, tooLong } from '../../meta/field-error.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { metaGroup } from '../../meta/naming.ts';
import { invalidObject } from '../../meta/status.ts';
import type { RequestContext } from '../context.ts';

export type OptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions';

export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string;
}

const maxManagerLength = 128;

/** @throws StatusError 422 with every fault */
export function parseWriteOptions(
  context: RequestContext,
  kind: OptionsKind,
  naming: NamingProfile,
): WriteOptions {
  const { query } = context;
  if (query.text === '') return { dryRun: false, fieldManager: managerFromAgent(context) };
  const manager = query.get('fieldManager');
  const faults = [...dryRunFaults(query.all('dryRun')), ...managerFaults(manager)];
  if (kind === 'PatchOptions' && query.has('force')) {
    faults.push(forbidden('force', 'may not be specified for non-apply patch'));
  }
  assertNoFaults(kind, naming, faults);
  return {
    dryRun: query.has('dryRun'),
    fieldManager: manager === '' ? managerFromAgent(context) : manager,
  };
}

export interface ApplyWriteOptions extends WriteOptions {
  readonly force: boolean;
}

/** Query of an apply, which must name its manager. @throws StatusError 422 with every fault */
export function parseApplyOptions(context: RequestContext, naming: NamingProfile): ApplyWriteOptions {
  const { query } = context;
  const fieldManager = query.get('fieldManager');
  const missing = fieldManager === '' ? [required('fieldManager', 'is required for apply patch')] : [];
  const faults = [...dryRunFaults(query.all('dryRun')), ...missing, ...managerFaults(fieldManager)];
  assertNoFaults('PatchOptions', naming, faults);
  return { dryRun: query.has('dryRun'), fieldManager, force: isTrue(query.get('force')) };
}

/** As booleans in a query are read: everything but these words is true. */
function isTrue(text: string): boolean {
  return !['', '0', 'f', 'F', 'false', 'False', 'FALSE'].includes(text);
}

/** `All` is the only value; an explicitly empty one is as wrong as any other. */
export function dryRunFaults(values: readonly unknown[]): FieldError[] {
  return values.filter((v) => v !== 'All').map((v) => notSupported('dryRun', v, ['All']));
}

/** @throws StatusError 422 on the options' kind when there are faults */
export function assertNoFaults(
  kind: OptionsKind,
  naming: NamingProfile,
  faults: readonly FieldError[],
): void {
  if (faults.length > 0) throw invalidObject({ group: metaGroup(naming), kind }, '', faults);
}

function managerFaults(manager: string): FieldError[] {
  const faults: FieldError[] = [];
  if (Buffer.byteLength(manager) > maxManagerLength) faults.push(tooLong('fieldManager', maxManagerLength));
  if (!/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u.test(manager)) {
    faults.push(invalid('fieldManager', manager, 'should only contain printable characters'));
  }
  return faults;
}

/** The program's name in the user agent: `kubectl/v1.21 …` is `kubectl`. */
function managerFromAgent(context: RequestContext): string {
  const [program = ''] = context.header('user-agent').split('/', 1);
  const printable = program.replace(/[^\u0020-\u007e]/g, '').slice(0, maxManagerLength);
  return printable === '' ? 'unknown' : printable;
}
