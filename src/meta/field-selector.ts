/** Field selectors: `status.phase=Running,spec.nodeName!=n1`; which fields exist is the resource's matter. */
import { quoted } from '../base/short-text.ts';
import { badRequest } from './status.ts';

export interface FieldRequirement {
  readonly field: string;
  readonly equals: boolean;
  readonly value: string;
}

/**
 * Parses a field selector; `\,` `\=` and `\\` escape in values. '' gives no requirement.
 * @throws StatusError 400
 */
export function parseFieldSelector(text: string): FieldRequirement[] {
  return splitTerms(text)
    .filter((term) => term.trim() !== '')
    .map((term) => parseTerm(term, text));
}

function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === ',') {
      terms.push(text.slice(start, i));
      start = i + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

function parseTerm(term: string, whole: string): FieldRequirement {
  const match = /^\s*([^=!\\\s]+)\s*(==|!=|=)([^]*)$/.exec(term);
  if (match?.[1] === undefined || match[3] === undefined) {
    throw badRequest(`invalid selector: ${quoted(whole)}; can't understand ${quoted(term)}`);
  }
  return { field: match[1], equals: match[2] !== '!=', value: unescapeValue(match[3], whole) };
}

function unescapeValue(value: string, whole: string): string {
  if (!/^(?:[^\\=]|\\[,=\\])*$/.test(value)) {
    throw badRequest(
      `invalid field selector ${quoted(whole)}: invalid value ${quoted(value)}: escape "=", "," and "\\" by "\\"`,
    );
  }
  return value.replace(/\\([,=\\])/g, '$1');
}
