/** Quantities: `quantity('1.5Gi').isLessThan(quantity(self.limit))`. */
import type { Quantity } from '../../meta/quantity.ts';
import { addQuantities, compareQuantities, parseQuantity } from '../../meta/quantity.ts';
import { EvaluationError } from '../language/errors.ts';
import { global, member, type CallCost, type Overload } from '../language/functions.ts';
import { opaque } from '../language/types.ts';
import { Opaque } from '../language/values.ts';
import { int64 } from './arithmetic.ts';

const quantityType = opaque('Quantity');

export class QuantityValue extends Opaque {
  readonly type = quantityType;
  readonly quantity: Quantity;

  constructor(quantity: Quantity) {
    super();
    this.quantity = quantity;
  }

  equals(other: Opaque): boolean {
    return other instanceof QuantityValue && compareQuantities(this.quantity, other.quantity) === 0;
  }
}

const wholeText: CallCost = (text: string) => Math.ceil(text.length * 0.1);
const nano = 1_000_000_000n;

function read(text: string): QuantityValue {
  const quantity = parseQuantity(text);
  if (!quantity)
    throw new EvaluationError(
      `quantities must match a number with a suffix such as 500m or 1.5Gi: ${JSON.stringify(text.slice(0, 50))}`,
    );
  return new QuantityValue(quantity);
}

function order(a: QuantityValue, b: QuantityValue): number {
  return compareQuantities(a.quantity, b.quantity);
}

/** @param sign -1 to subtract */
function sum(
  { quantity }: QuantityValue,
  nanos: bigint,
  format: Quantity['format'],
  sign: bigint,
): QuantityValue {
  return new QuantityValue(addQuantities(quantity, { nanos: nanos * sign, format }));
}

function isWhole({ quantity: { nanos } }: QuantityValue): boolean {
  return nanos % nano === 0n && nanos / nano === BigInt.asIntN(64, nanos / nano);
}

function sign({ quantity: { nanos } }: QuantityValue): bigint {
  if (nanos === 0n) return 0n;
  return nanos < 0n ? -1n : 1n;
}

const sums = (
  [
    ['add', 1n],
    ['sub', -1n],
  ] as const
).flatMap(([name, factor]) => [
  member(
    name,
    `quantity_${name}`,
    'Quantity, Quantity -> Quantity',
    (_run, a: QuantityValue, b: QuantityValue) => sum(a, b.quantity.nanos, b.quantity.format, factor),
  ),
  member(name, `quantity_${name}_int`, 'Quantity, int -> Quantity', (_run, a: QuantityValue, b: bigint) =>
    sum(a, b * nano, 'DecimalSI', factor),
  ),
]);

export const quantities: readonly Overload[] = [
  global(
    'quantity',
    'string_to_quantity',
    'string -> Quantity',
    (_run, text: string) => read(text),
    wholeText,
  ),
  global(
    'isQuantity',
    'is_quantity_string',
    'string -> bool',
    (_run, text: string) => parseQuantity(text) !== undefined,
    wholeText,
  ),
  global('sign', 'quantity_sign', 'Quantity -> int', (_run, value: QuantityValue) => sign(value)),
  member('sign', 'quantity_sign_member', 'Quantity -> int', (_run, value: QuantityValue) => sign(value)),
  member(
    'isGreaterThan',
    'quantity_is_greater_than',
    'Quantity, Quantity -> bool',
    (_run, a: QuantityValue, b: QuantityValue) => order(a, b) > 0,
  ),
  member(
    'isLessThan',
    'quantity_is_less_than',
    'Quantity, Quantity -> bool',
    (_run, a: QuantityValue, b: QuantityValue) => order(a, b) < 0,
  ),
  member(
    'compareTo',
    'quantity_compare_to',
    'Quantity, Quantity -> int',
    (_run, a: QuantityValue, b: QuantityValue) => BigInt(order(a, b)),
  ),
  member(
    'asApproximateFloat',
    'quantity_get_float',
    'Quantity -> double',
    (_run, { quantity }: QuantityValue) => Number(quantity.nanos) / 1e9,
  ),
  member('isInteger', 'quantity_is_integer', 'Quantity -> bool', (_run, value: QuantityValue) =>
    isWhole(value),
  ),
  member('asInteger', 'quantity_get_int', 'Quantity -> int', (_run, value: QuantityValue) => {
    if (!isWhole(value)) throw new EvaluationError('cannot convert value to integer');
    return int64(value.quantity.nanos / nano);
  }),
  ...sums,
];
