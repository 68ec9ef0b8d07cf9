/** Requests and limits of a pod as a whole. */
import type { Container, Pod as PodFields, PodSpec } from '../v1.types.ts';
import type { Stored } from '../../define.ts';
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
} from '../../../meta/quantity.ts';

type Amounts = Readonly<Record<string, string>>;

const nothing: Quantity = { nanos: 0n, format: 'DecimalSI' };

/** An amount as a quantity; an invalid one (validation rejected it before) counts as nothing. */
export function quantityOf(text: string | undefined): Quantity {
  return parseQuantity(text ?? '0') ?? nothing;
}

export function sumAmounts(a: Amounts, b: Amounts): Record<string, string> {
  return combined([a, b], addQuantities);
}

/**
 * What the containers ask for together, or the pod as a whole, if it says so; and the overhead of the pod's runtime, where
 * something is asked for at all.
 */
export function podAmounts(pod: Stored<PodFields>, list: 'requests' | 'limits'): Record<string, string> {
  const spec = pod.spec ?? {};
  const most = { ...containerAmounts(spec, list), ...spec.resources?.[list] };
  // A missing limit stays unlimited, whatever the runtime's overhead.
  const extra = Object.entries(spec.overhead ?? {}).filter(([name]) => list === 'requests' || name in most);
  return sumAmounts(most, Object.fromEntries(extra));
}

/**
 * The sum over the containers, but no less than the most demanding init container asks for, which runs alone. Those that
 * go on running beside the others (restartPolicy Always) count with the containers, and with each that starts after them.
 */
export function containerAmounts(spec: PodSpec, list: 'requests' | 'limits'): Record<string, string> {
  const amountsOf = ({ resources }: Container): Amounts => resources?.[list] ?? {};
  let beside: Amounts = {};
  const initial = (spec.initContainers ?? []).map((container) => {
    const together = sumAmounts(beside, amountsOf(container));
    if (container.restartPolicy === 'Always') beside = together;
    return together;
  });
  const asked = [...(spec.containers ?? []).map(amountsOf), beside];
  return combined([combined(asked, addQuantities), ...initial], larger);
}

function larger(a: Quantity, b: Quantity): Quantity {
  return compareQuantities(a, b) < 0 ? b : a;
}

/** The amounts of all lists, one for each name; each list is gone through once. */
function combined(
  lists: readonly Amounts[],
  combine: (a: Quantity, b: Quantity) => Quantity,
): Record<string, string> {
  const totals = new Map<string, string | Quantity>();
  for (const amounts of lists) {
    for (const [name, text] of Object.entries(amounts)) {
      const former = totals.get(name);
      totals.set(name, former === undefined ? text : combine(asQuantity(former), quantityOf(text)));
    }
  }
  return Object.fromEntries(
    Array.from(totals, ([name, total]) => [name, typeof total === 'string' ? total : formatQuantity(total)]),
  );
}

function asQuantity(total: string | Quantity): Quantity {
  return typeof total === 'string' ? quantityOf(total) : total;
}
