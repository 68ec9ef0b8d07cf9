/** The standard library of the language. */
import { member, type CallCost, type Overload } from '../language/functions.ts';
import { arithmetic } from './arithmetic.ts';
import { conversions } from './conversions.ts';
import { operators } from './operators.ts';
import { matching } from './patterns.ts';
import { checkSearch } from './text-search.ts';
import { times } from './time.ts';

/** The text is compared as far as the part goes. */
const wholeTarget: CallCost = (text: string) => Math.ceil(text.length * 0.1);
const containing: CallCost = (text: string, part: string) =>
  Math.ceil(text.length * 0.1) * Math.ceil(part.length * 0.1);

const texts: readonly Overload[] = [
  member(
    'startsWith',
    'starts_with_string',
    'string, string -> bool',
    (_run, text: string, part: string) => text.startsWith(part),
    wholeTarget,
  ),
  member(
    'endsWith',
    'ends_with_string',
    'string, string -> bool',
    (_run, text: string, part: string) => text.endsWith(part),
    wholeTarget,
  ),
  member(
    'contains',
    'contains_string',
    'string, string -> bool',
    (run, text: string, part: string) => {
      checkSearch(run, text, part);
      return text.includes(part);
    },
    containing,
  ),
];

export const standard: readonly Overload[] = [
  ...operators,
  ...arithmetic,
  ...conversions,
  ...times,
  ...matching,
  ...texts,
];
