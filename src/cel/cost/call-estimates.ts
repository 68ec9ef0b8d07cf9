/**
 * What calls cost at least and at most, by the rules of the reference implementation: definitions that it accepts must
 * be accepted here.
 */
import type { Expr } from '../language/expression.ts';
import type { Bounds } from './bounds.ts';
import { either, exactly, nothing, plus, scaled, times, unknown } from './bounds.ts';

const traversal = 0.1;
const patternPart = 0.25;

/** A call as it is estimated. */
export interface EstimatedCall {
  readonly id: string;
  /** Sizes of the operands, a target first. */
  readonly sizes: readonly Bounds[];
  readonly args: readonly Expr[];
  /** Size of the items of a list that is the first operand; undefined if they are no texts. */
  readonly itemSize: () => Bounds | undefined;
}

export interface CallEstimate {
  readonly cost: Bounds;
  readonly size?: Bounds | undefined;
}

type Estimate = (call: EstimatedCall) => CallEstimate;

const one: CallEstimate = { cost: exactly(1) };

function sizeAt({ sizes }: EstimatedCall, place: number): Bounds {
  return sizes[place] ?? unknown;
}

/** The first operand is looked at as a whole, so many times; the result is as large if `keeps`. */
const whole =
  (looks: number, keeps = false): Estimate =>
  (call) => {
    const size = sizeAt(call, 0);
    return { cost: scaled(size, looks * traversal), size: keeps ? size : undefined };
  };

const ofSecond: Estimate = (call) => ({ cost: scaled(sizeAt(call, 1), traversal) });

const compared: Estimate = (call) => {
  const most = Math.min(sizeAt(call, 0).max, sizeAt(call, 1).max);
  return { cost: scaled({ min: most > 0 ? 1 : 0, max: most }, traversal) };
};

const summed: Estimate = (call) => {
  const size = plus(sizeAt(call, 0), sizeAt(call, 1));
  return { cost: scaled(size, traversal), size };
};

const matched: Estimate = (call) => {
  const text = scaled(plus(sizeAt(call, 0), exactly(1)), traversal);
  return { cost: times(text, scaled(sizeAt(call, 1), patternPart)) };
};

const contained: Estimate = (call) => ({
  cost: times(scaled(sizeAt(call, 0), traversal), scaled(sizeAt(call, 1), traversal)),
});

const traversed: Estimate = (call) => {
  const item = call.itemSize();
  const each = item === undefined ? exactly(1) : plus(exactly(1), scaled(item, traversal));
  return { cost: times(sizeAt(call, 0), each) };
};

const joined: Estimate = (call) => {
  const list = sizeAt(call, 0);
  const item = call.itemSize();
  const items = item === undefined ? nothing : times(list, item);
  const separators = { min: Math.max(0, list.min - 1), max: Math.max(0, list.max - 1) };
  const size = call.sizes.length > 1 ? plus(items, times(sizeAt(call, 1), separators)) : items;
  return { cost: scaled(size, traversal), size };
};

const split: Estimate = (call) => {
  const size = sizeAt(call, 0);
  const limit = call.args[2];
  const most = limit?.kind === 'literal' && typeof limit.value === 'bigint' ? Number(limit.value) : size.max;
  return { cost: scaled(size, 2 * traversal), size: { min: 0, max: most } };
};

/** How many replacements there may be, and what stays of the text. */
const replaced: Estimate = (call) => {
  const [text, old, added] = [sizeAt(call, 0), sizeAt(call, 1), sizeAt(call, 2)];
  const counts = { min: 0, max: 0 };
  const kept = { min: 0, max: 0 };
  if (old.min === 0) {
    counts.max = text.max + 1;
    kept.max = text.max;
  } else if (added.max <= old.min) kept.max = text.max;
  else counts.max = Math.ceil(text.max / old.min);
  if (old.max === 0) {
    counts.min = text.min + 1;
    kept.min = text.min;
  } else if (old.max <= added.min) kept.min = text.min;
  else counts.min = Math.ceil(text.min / old.max);
  return { cost: scaled(text, 2 * traversal), size: plus(times(counts, added), kept) };
};

const found: Estimate = (call) => ({ ...matched(call), size: { min: 0, max: sizeAt(call, 0).max } });

const toBytes: Estimate = (call) => {
  const { min, max } = sizeAt(call, 0);
  return { cost: scaled({ min, max }, traversal), size: { min, max: max * 4 } };
};

const fromBytes: Estimate = (call) => {
  const { min, max } = sizeAt(call, 0);
  return { cost: scaled({ min, max }, traversal), size: { min: Math.floor(min / 4), max } };
};

const quoted: Estimate = (call) => {
  const { min, max } = sizeAt(call, 0);
  return { cost: scaled({ min, max }, traversal), size: { min: min + 2, max: max * 2 + 2 } };
};

/** Texts of numbers and times are short; the reference takes them for unbounded, and refuses messages with them. */
const shortText: Estimate = () => ({ ...one, size: { min: 1, max: 40 } });

const validated: Estimate = (call) => ({
  cost: scaled(scaled(sizeAt(call, 1), traversal), 128 * patternPart),
});

/** Items of both lists are compared with each other, so many times. */
const crossed =
  (rounds: number): Estimate =>
  (call) => ({ cost: plus(scaled(times(sizeAt(call, 0), sizeAt(call, 1)), rounds), exactly(1)) });

/** Addresses have 4 or 16 bytes. */
const bytesOfAddress: Bounds = { min: 4, max: 16 };

const inRange =
  (looks: number, more: number, readsText: boolean): Estimate =>
  (call) => ({
    cost: plus(
      scaled(scaled(bytesOfAddress, 2), traversal),
      looks > 2 ? scaled(bytesOfAddress, traversal) : nothing,
      exactly(more),
      readsText ? scaled(sizeAt(call, 1), traversal) : nothing,
    ),
  });

const estimates: readonly (readonly [ids: string, estimate: Estimate])[] = [
  ['string_format', whole(1)],
  ['string_to_bytes', toBytes],
  ['bytes_to_string', fromBytes],
  ['strings_quote', quoted],
  ['int64_to_string uint64_to_string double_to_string bool_to_string', shortText],
  ['timestamp_to_string duration_to_string ip_to_string cidr_to_string', shortText],
  ['starts_with_string ends_with_string', ofSecond],
  ['matches matches_string', matched],
  ['contains_string', contained],
  ['add_string add_bytes', summed],
  ['equals not_equals less_string less_equals_string greater_string greater_equals_string', compared],
  ['less_bytes less_equals_bytes greater_bytes greater_equals_bytes', compared],
  ['list_a_index_of_int list_a_last_index_of_int', traversed],
  ['string_index_of_string string_index_of_string_int', whole(1)],
  ['string_last_index_of_string string_last_index_of_string_int', whole(1)],
  ['string_to_url', whole(1, true)],
  ['string_lower_ascii string_upper_ascii string_trim', whole(1, true)],
  ['string_substring_int string_substring_int_int', whole(1, true)],
  ['string_replace_string_string string_replace_string_string_int', replaced],
  ['string_split_string string_split_string_int', split],
  ['list_join list_join_string', joined],
  ['string_find_string string_find_all_string string_find_all_string_int', found],
  ['string_to_ip is_ip string_to_cidr is_cidr', whole(1)],
  ['ip_is_canonical', whole(2)],
  ['cidr_contains_ip_string', inRange(2, 0, true)],
  ['cidr_contains_ip_ip', inRange(2, 0, false)],
  ['cidr_contains_cidr_string', inRange(3, 1, true)],
  ['cidr_contains_cidr', inRange(3, 1, false)],
  ['string_to_quantity is_quantity_string string_to_semver is_semver_string', whole(1)],
  ['string_bool_to_semver is_semver_string_bool', whole(1)],
  ['format-validate', validated],
  ['list_sets_contains_list list_sets_intersects_list', crossed(1)],
  ['list_sets_equivalent_list', crossed(2)],
];

const byId: ReadonlyMap<string, Estimate> = new Map(
  estimates.flatMap(([ids, estimate]) => ids.split(' ').map((id) => [id, estimate] as const)),
);

const traversing = /^list_[a-z]+_(?:is_sorted_bool|sum_|max_|min_)/;

/** Beside the operands. */
export function estimateCall(call: EstimatedCall): CallEstimate {
  const known = byId.get(call.id);
  if (known) return known(call);
  if (call.id === 'in_list') return { cost: sizeAt(call, 1) };
  if (call.id === 'add_list') return { ...one, size: plus(sizeAt(call, 0), sizeAt(call, 1)) };
  if (traversing.test(call.id)) return traversed(call);
  return one;
}

/** The cheaper and the dearer of what overloads may cost. */
export function eitherCall(a: CallEstimate | undefined, b: CallEstimate): CallEstimate {
  if (!a) return b;
  const size = a.size && b.size ? either(a.size, b.size) : (b.size ?? a.size);
  return { cost: either(a.cost, b.cost), size };
}
