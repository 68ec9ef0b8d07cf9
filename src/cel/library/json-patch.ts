/** Keys in the paths of JSON patches: `'/metadata/labels/' + jsonpatch.escapeKey('example.com/a')` (RFC 6901). */
import { global, type CallCost, type Overload } from '../language/functions.ts';

const wholeText: CallCost = (text: string) => Math.ceil(text.length * 0.1);

export const jsonPatches: readonly Overload[] = [
  global(
    'jsonpatch.escapeKey',
    'string_jsonpatch_escapeKey_string',
    'string -> string',
    (_run, key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1'),
    wholeText,
  ),
];
