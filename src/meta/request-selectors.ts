/**
 * Selectors that narrow what a list, a watch or a deletion of many is about, for authorizers (KEP-4601). Selectors only
 * narrow: what cannot be read is left out, and the decision is about more.
 */
import { parseFieldSelector } from './field-selector.ts';
import { parseLabelRequirements } from './label-selector.ts';
import type { Operator } from './label-requirements.ts';

export interface SelectorRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values: readonly string[];
}

/** Selectors as sent, or requirements. */
export type SelectorSource = string | readonly SelectorRequirement[];

interface Read {
  readonly requirements: readonly SelectorRequirement[];
  /** Some of it is left out. */
  readonly isPartial: boolean;
}

const nothing: Read = { requirements: [], isPartial: false };
const unreadable: Read = { requirements: [], isPartial: true };

/** Read when an authorizer asks for them: most do not. */
export class RequestSelectors {
  readonly #field: SelectorSource;
  readonly #label: SelectorSource;
  #fields: Read | undefined;
  #labels: Read | undefined;

  constructor(field: SelectorSource, label: SelectorSource) {
    this.#field = field;
    this.#label = label;
  }

  /** Of fields: `In` and `NotIn` with one value each. */
  get fields(): readonly SelectorRequirement[] {
    return this.#readFields().requirements;
  }

  get labels(): readonly SelectorRequirement[] {
    return this.#readLabels().requirements;
  }

  /** Keeps what it was made of alone until something is asked again. */
  forgetRead(): void {
    this.#fields = this.#labels = undefined;
  }

  /** The selectors of which something is left out, as their fields of a review are called. */
  get partial(): { readonly name: 'fieldSelector' | 'labelSelector'; readonly isEmpty: boolean }[] {
    const read = [
      { name: 'fieldSelector' as const, ...this.#readFields() },
      { name: 'labelSelector' as const, ...this.#readLabels() },
    ];
    return read
      .filter(({ isPartial }) => isPartial)
      .map(({ name, requirements }) => ({ name, isEmpty: requirements.length === 0 }));
  }

  #readFields(): Read {
    return (this.#fields ??= readFields(this.#field));
  }

  #readLabels(): Read {
    return (this.#labels ??= readLabels(this.#label));
  }
}

function readFields(source: SelectorSource): Read {
  if (typeof source !== 'string')
    return kept(source, ({ operator, values }) => isSet(operator) && values.length === 1);
  return readText(source, () =>
    parseFieldSelector(source).map(({ field, equals, value }) => ({
      ...{ key: field, operator: equals ? 'In' : 'NotIn', values: [value] },
    })),
  );
}

const operators: Readonly<Partial<Record<Operator, string>>> = {
  ...{ '=': 'In', in: 'In', '!=': 'NotIn', notin: 'NotIn', exists: 'Exists', '!': 'DoesNotExist' },
};

function readLabels(source: SelectorSource): Read {
  if (typeof source !== 'string')
    return kept(source, ({ operator }) => isSet(operator) || /^(?:Exists|DoesNotExist)$/.test(operator));
  return readText(source, () =>
    parseLabelRequirements(source).flatMap(({ key, operator, values }) => {
      const known = operators[operator];
      return known === undefined ? [] : { key, operator: known, values };
    }),
  );
}

function isSet(operator: string): boolean {
  return operator === 'In' || operator === 'NotIn';
}

function kept(all: readonly SelectorRequirement[], isKnown: (one: SelectorRequirement) => boolean): Read {
  const requirements = all.filter(isKnown);
  return { requirements, isPartial: requirements.length < all.length };
}

function readText(text: string, read: () => readonly SelectorRequirement[]): Read {
  if (text === '') return nothing;
  try {
    return { requirements: read(), isPartial: false };
  } catch {
    return unreadable;
  }
}
