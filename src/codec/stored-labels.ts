/** Labels of stored objects that have very many. */
import { setOwn } from '../base/json.ts';
import { quote } from './json-bytes.ts';
import { labelsOpen } from './stored.ts';

const lastOfTexts = Buffer.from('"}');
const backslash = 0x5c;
const closingBrace = 0x7d;
const manyLabelBytes = 16 * 1024;

/**
 * Of very many labels those with the given names, looked for in the text: to parse 30,000 takes 35 ms. undefined where the
 * labels are few, or their text is not as validation lets it be: then `readLabels` reads them.
 */
export function readLabelsAmong(bytes: Buffer, names: readonly string[]): Record<string, string> | undefined {
  const open = labelsOpen(bytes);
  if (open === undefined) return undefined;
  const end = bytes.indexOf(lastOfTexts, open);
  if (end - open < manyLabelBytes) return undefined;
  const text = bytes.subarray(open, end + 1);
  // A brace ends labels that are none, or of which the last is no text: what follows is not theirs.
  if (text.includes(backslash) || text.includes(closingBrace)) return undefined;
  const labels: Record<string, string> = {};
  for (const name of names) {
    const opening = `"${name}":"`;
    const at = text.indexOf(opening);
    const from = at + opening.length;
    if (at >= 0) setOwn(labels, name, text.toString('utf8', from, text.indexOf(quote, from)));
  }
  return labels;
}
