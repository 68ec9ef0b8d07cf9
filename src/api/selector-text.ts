/** Label selectors of objects as text, in the grammar of list and watch; tables and Scale show them so. */
import type { LabelSelectorLike } from './validation/validate-label-selector.ts';
import type { Maybe } from './validation/rules.ts';

interface Term {
  readonly key: string;
  readonly text: string;
}

/** `a=b,c in (d,e)`, terms in the order of their keys; '' for a selector that is missing or empty. */
export function selectorText(selector: Maybe<LabelSelectorLike>): string {
  const labels = Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => ({
    key,
    text: `${key}=${value}`,
  }));
  return [...labels, ...expressions(selector)]
    .sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)))
    .map(({ text }) => text)
    .join(',');
}

function expressions(selector: Maybe<LabelSelectorLike>): Term[] {
  return (selector?.matchExpressions ?? []).map((expression) => {
    const key = expression.key ?? '';
    const values = `(${[...(expression.values ?? [])].sort().join(',')})`;
    switch (expression.operator ?? '') {
      case 'In':
        return { key, text: `${key} in ${values}` };
      case 'NotIn':
        return { key, text: `${key} notin ${values}` };
      case 'DoesNotExist':
        return { key, text: `!${key}` };
      default:
        return { key, text: key };
    }
  });
}

/** The cell of a table. */
export function selectorCell(selector: Maybe<LabelSelectorLike>): string {
  return selectorText(selector) || '<none>';
}
