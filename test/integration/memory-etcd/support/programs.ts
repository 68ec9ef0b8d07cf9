/** Random programs over few keys, leases and revisions, so that much of what happens concerns the same ones. */
import fc from 'fast-check';

import type { MethodName } from './methods.ts';

/** A revision as a program names it: relative to the newest one or to the last compaction, or absolute if it is small. */
export type Revision =
  { readonly fromNewest: number } | { readonly fromCompacted: number } | { readonly exact: number };

/** What revisions are relative to. */
export interface Origin {
  readonly newest: number;
  readonly compacted: number;
}

/** A request whose revisions are not known yet. */
export interface Step {
  readonly name: MethodName;
  readonly request: Readonly<Record<string, unknown>>;
}

const keys = ['a', 'b', 'c', 'ab', 'b\0', '\0', '\xff', 'a\xe9'].map((text) => Buffer.from(text, 'latin1'));
const key = fc.constantFrom(...keys);
/** A key, or seldom none. */
const mostlyKey = fc.oneof(
  { weight: 60, arbitrary: key },
  { weight: 1, arbitrary: fc.constant(Buffer.alloc(0)) },
);
const rangeEnd = fc.oneof(
  { weight: 3, arbitrary: fc.constant(Buffer.alloc(0)) },
  { weight: 2, arbitrary: fc.constant(Buffer.from([0])) },
  { weight: 4, arbitrary: fc.constantFrom(...keys, Buffer.from('z')) },
);
const value = fc.constantFrom(...['', '1', '2', 'xyz'].map((text) => Buffer.from(text)));
const lease = fc.oneof(
  { weight: 6, arbitrary: fc.constant(0) },
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 4 }) },
);
const revision: fc.Arbitrary<Revision> = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: -12, max: 1 }).map((fromNewest) => ({ fromNewest })) },
  { weight: 2, arbitrary: fc.integer({ min: -1, max: 1 }).map((fromCompacted) => ({ fromCompacted })) },
  { weight: 1, arbitrary: fc.integer({ min: -2, max: 3 }).map((exact) => ({ exact })) },
);
const mostlyNewest: fc.Arbitrary<Revision> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ exact: 0 }) },
  { weight: 2, arbitrary: revision },
);
const seldom = fc.oneof(
  { weight: 5, arbitrary: fc.constant(false) },
  { weight: 1, arbitrary: fc.constant(true) },
);
const often = fc.boolean();

const range = fc.record({
  key: mostlyKey,
  range_end: rangeEnd,
  limit: fc.oneof(fc.constant(0), fc.integer({ min: -1, max: 5 })),
  revision: mostlyNewest,
  sort_order: fc.constantFrom(0, 0, 1, 2),
  sort_target: fc.constantFrom(0, 0, 1, 2, 3, 4),
  serializable: often,
  keys_only: seldom,
  count_only: seldom,
  min_mod_revision: mostlyNewest,
  max_mod_revision: mostlyNewest,
  min_create_revision: mostlyNewest,
  max_create_revision: mostlyNewest,
});
/** A range as most are. */
const simpleRange = fc.record({ key: mostlyKey, range_end: rangeEnd, revision: mostlyNewest });
const put = fc.record({
  key: mostlyKey,
  value,
  lease,
  prev_kv: often,
  ignore_value: seldom,
  ignore_lease: seldom,
});
const deleteRange = fc.record({ key: mostlyKey, range_end: rangeEnd, prev_kv: often });

const compare = fc
  .record({
    result: fc.constantFrom(0, 0, 1, 2, 3),
    target: fc.constantFrom(0, 1, 2, 3, 4),
    key: mostlyKey,
    range_end: fc.oneof({ weight: 3, arbitrary: fc.constant(Buffer.alloc(0)) }, rangeEnd),
    number: fc.constantFrom(0, 0, 1, 2),
    revision: mostlyNewest,
    value,
    isGiven: fc.integer({ max: 9, min: 0 }).map((number) => number > 0),
  })
  .map(({ number, revision: of, value: bytes, isGiven, ...rest }) => {
    const field = ['version', 'create_revision', 'mod_revision', 'value', 'lease'][rest.target] ?? '';
    const operand = { version: number, lease: number, create_revision: of, mod_revision: of, value: bytes };
    return isGiven ? { ...rest, [field]: operand[field as keyof typeof operand] } : rest;
  });

const { txn } = fc.letrec<{ txn: object; op: object }>((tie) => ({
  txn: fc.record({
    compare: fc.array(compare, { maxLength: 2 }),
    success: fc.array(tie('op'), { maxLength: 4 }),
    failure: fc.array(tie('op'), { maxLength: 3 }),
  }),
  op: fc.oneof(
    { depthSize: 'small', maxDepth: 3 },
    { weight: 8, arbitrary: put.map((request_put) => ({ request_put })) },
    { weight: 4, arbitrary: fc.oneof(range, simpleRange).map((request_range) => ({ request_range })) },
    { weight: 4, arbitrary: deleteRange.map((request_delete_range) => ({ request_delete_range })) },
    { weight: 5, arbitrary: tie('txn').map((request_txn) => ({ request_txn })) },
    { weight: 1, arbitrary: fc.constant({}) },
  ),
}));

interface Op {
  readonly request_put?: object;
  readonly request_delete_range?: { readonly range_end: Buffer };
  readonly request_txn?: Txn;
}

interface Txn {
  readonly success: readonly Op[];
  readonly failure: readonly Op[];
}

/**
 * etcd 3.4 and 3.5 crash, also when they start again, if a put that keeps a value or lease follows a deletion of its key
 * in one transaction, which they overlook if the deletion has no end.
 */
function withoutCrash(value: object): object {
  const whole = value as Txn;
  return deletesWithoutEnd(whole) ? withSimplePuts(whole) : whole;
}

function deletesWithoutEnd({ success, failure }: Txn): boolean {
  return [...success, ...failure].some(
    ({ request_delete_range: deletion, request_txn: nested }) =>
      deletion?.range_end.equals(Buffer.from([0])) === true ||
      (nested !== undefined && deletesWithoutEnd(nested)),
  );
}

function withSimplePuts(whole: Txn): Txn {
  const simple = (op: Op): Op => {
    const { request_put: operand, request_txn: nested } = op;
    if (operand) return { request_put: { ...operand, ignore_value: false, ignore_lease: false } };
    return nested === undefined ? op : { request_txn: withSimplePuts(nested) };
  };
  return { ...whole, success: whole.success.map(simple), failure: whole.failure.map(simple) };
}

const leaseId = fc.integer({ min: 1, max: 5 });
const grant = fc.record({
  ID: leaseId,
  TTL: fc.constantFrom(60, 100, 9_000_000_000, 9_000_000_001),
});

const watch = fc.record({
  key: fc.oneof({ weight: 9, arbitrary: key }, { weight: 1, arbitrary: fc.constant(Buffer.alloc(0)) }),
  range_end: rangeEnd,
  start_revision: fc.oneof(mostlyNewest, revision),
  filters: fc.constantFrom([], [], [], [0], [1], [0, 1]),
  prev_kv: often,
  fragment: often,
  watch_id: fc.constantFrom(0, 0, 7),
});

function step(name: MethodName, request: fc.Arbitrary<object>): fc.Arbitrary<Step> {
  return request.map((fields) => ({ name, request: fields as Step['request'] }));
}

export const program: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: step('put', put) },
    { weight: 12, arbitrary: step('txn', txn.map(withoutCrash)) },
    { weight: 5, arbitrary: step('deleteRange', deleteRange) },
    { weight: 8, arbitrary: step('range', fc.oneof(range, simpleRange)) },
    { weight: 3, arbitrary: step('compact', fc.record({ revision, physical: fc.constant(true) })) },
    { weight: 4, arbitrary: step('grant', grant) },
    { weight: 2, arbitrary: step('revoke', fc.record({ ID: leaseId })) },
    { weight: 1, arbitrary: step('keepAlive', fc.record({ ID: leaseId })) },
    { weight: 2, arbitrary: step('timeToLive', fc.record({ ID: leaseId, keys: often })) },
    { weight: 1, arbitrary: step('leases', fc.constant({})) },
    { weight: 5, arbitrary: step('watch', watch) },
  ),
  { minLength: 10, maxLength: 60, size: 'max' },
);

/** The request with its revisions as numbers. */
export function resolved<T>(value: T, origin: Origin): T {
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => resolved(item, origin)) as T;
  if ('fromNewest' in value) return (origin.newest + Number(value.fromNewest)) as T;
  if ('fromCompacted' in value) return (origin.compacted + Number(value.fromCompacted)) as T;
  if ('exact' in value) return value.exact as T;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, resolved(field, origin)]),
  ) as T;
}
