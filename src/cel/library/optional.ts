/** Optional values: `optional.of(x)`, `a.?b.orValue(c)`. */
import { EvaluationError } from '../language/errors.ts';
import { global, member, type Overload } from '../language/functions.ts';
import type { CelValue } from '../language/values.ts';
import { CelList, CelMap, Duration, Optional, Timestamp, Uint } from '../language/values.ts';
import { NativeList, NativeStruct } from '../language/values.ts';
import { optionalIndices, planned } from './operators.ts';

const epochOfGo = -62_135_596_800_000_000_000n;

/** What a value has that nobody set. */
function isZero(value: CelValue): boolean {
  if (value === null || value === false || value === 0 || value === 0n || value === '') return true;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof CelList || value instanceof CelMap || value instanceof NativeStruct)
    return value.size === 0;
  if (value instanceof Duration) return value.nanos === 0n;
  if (value instanceof Timestamp) return value.nanos === epochOfGo;
  return value instanceof Optional && value.value === undefined;
}

function unwrap(list: CelList): CelList {
  const values: CelValue[] = [];
  for (let i = 0; i < list.size; i += 1) {
    const item = list.at(i);
    if (item instanceof Optional && item.value !== undefined) values.push(item.value);
  }
  return new NativeList(values);
}

export const optionals: readonly Overload[] = [
  ...optionalIndices,
  global('optional.of', 'optional_of', 'A -> optional(A)', (_run, value: CelValue) => new Optional(value)),
  global('optional.none', 'optional_none', '-> optional(A)', () => Optional.none),
  global(
    'optional.ofNonZeroValue',
    'optional_of_non_zero_value',
    'A -> optional(A)',
    (_run, value: CelValue) => (isZero(value) ? Optional.none : new Optional(value)),
  ),
  global('optional.unwrap', 'optional_unwrap', 'list(optional(A)) -> list(A)', (_run, list: CelList) =>
    unwrap(list),
  ),
  member('unwrapOpt', 'optional_unwrapOpt', 'list(optional(A)) -> list(A)', (_run, list: CelList) =>
    unwrap(list),
  ),
  member(
    'hasValue',
    'optional_hasValue',
    'optional(A) -> bool',
    (_run, { value }: Optional) => value !== undefined,
  ),
  member('value', 'optional_value', 'optional(A) -> A', (_run, { value }: Optional) => {
    if (value === undefined) throw new EvaluationError('optional.none() dereference');
    return value;
  }),
  member('or', 'optional_or_optional', 'optional(A), optional(A) -> optional(A)', planned),
  member('orValue', 'optional_orValue_value', 'optional(A), A -> A', planned),
];
