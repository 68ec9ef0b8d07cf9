/** JSON value → YAML text. */
import * as yaml from 'js-yaml';
import type { JsonValue } from '../base/json.ts';
import { indentedJson } from './indented-json.ts';
import { jsonInSteps } from './json-in-steps.ts';
import { isIntegerText, resolvePlain } from './yaml-scalar.ts';

/** Made with the first text: most processes write none, and the package takes 2 MB once it is used. */
let dumpSchema: yaml.Schema | undefined;

/** Integers as the dumper needs them: exact ones too, and text that any YAML version reads as one gets quoted. */
function schemaWithIntegers(): yaml.Schema {
  const integerTag = yaml.defineScalarTag<unknown>(yaml.intCoreTag.tagName, {
    implicit: true,
    resolve: (source, isExplicit, tagName) => {
      if (isIntegerText(source)) return resolvePlain(source);
      const result = yaml.intYaml11Tag.resolve(source, isExplicit, tagName);
      return result === yaml.NOT_RESOLVED ? yaml.intCoreTag.resolve(source, isExplicit, tagName) : result;
    },
    identify: (data) => Number.isInteger(data) || JSON.isRawJSON(data),
    represent: (data: unknown) => JSON.stringify(data),
  });
  return yaml.DUMP_SCHEMA.withTags(integerTag);
}

/** Writes a value as YAML that readers of YAML 1.1 and 1.2 read alike: what looks like another type is quoted. */
export function encodeYaml(value: JsonValue): string {
  dumpSchema ??= schemaWithIntegers();
  return yaml.dump(value, { schema: dumpSchema, noRefs: true, lineWidth: -1, seqNoIndent: true });
}

/** Texts up to this length are written in block style, which takes 140 ms for 1 MB; JSON takes 10. */
const maxBlockText = 64 * 1024;
/** Texts of keys up to this length stand before their colon alone: YAML wants at most 1,024 characters there. */
const maxImplicitKey = 250;

/**
 * The same for answers: what is large is written in flow style, as indented JSON, which YAML is a superset of.
 * @param maxBlock length of JSON text up to which block style is used
 */
export function encodeYamlAnswer(value: JsonValue, maxBlock = maxBlockText): string {
  const text = indentedJson(value);
  if (lengthInBlocks(text) <= maxBlock) return encodeYaml(value);
  return `${withExplicitKeys(printable(text))}\n`;
}

/**
 * Length of indented JSON in block style, at least: each line of a text is indented there as its key is. 13,000 lines of one
 * letter below 100 levels become 2.7 MB, in 180 ms, of 40 KB of JSON.
 */
function lengthInBlocks(text: string): number {
  let { length } = text;
  for (let at = text.indexOf(lineBreak); at >= 0 && length <= maxBlockText;) {
    const start = text.lastIndexOf('\n', at) + 1;
    const end = lineEnd(text, at);
    const indent = text.slice(start, end).search(/[^ ]/);
    for (; at >= 0 && at < end; at = text.indexOf(lineBreak, at + lineBreak.length)) length += indent;
  }
  return length;
}

/** As it stands in JSON. */
const lineBreak = '\\n';

/** What `encodeYamlAnswer` gives for a value that may be large, in pieces, made in steps. */
export function* yamlInSteps(value: JsonValue): Generator<void, string[], void> {
  const pieces: string[] = [];
  let length = 0;
  for (const piece of jsonInSteps(value, 2)) {
    length += lengthInBlocks(piece);
    // Keys begin a line, and so does each piece.
    pieces.push(withExplicitKeys(printable(piece)));
    yield;
  }
  return length <= maxBlockText ? [encodeYaml(value)] : [...pieces, '\n'];
}

/** An item of a list in block style; its own style as that of `encodeYamlAnswer`. */
export function encodeYamlItem(item: JsonValue, maxBlock = maxBlockText): string {
  const text = indentedJson(item);
  if (lengthInBlocks(text) <= maxBlock) return encodeYaml([item]);
  return `- ${withExplicitKeys(printable(text)).replaceAll('\n', '\n  ')}\n`;
}

/** YAML wants characters escaped that JSON may have as they are (YAML 1.2.2, section 5.1). */
function printable(text: string): string {
  return text.replace(/[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** Indented JSON in which long keys are marked as keys (`? "key" :`). Each key begins a line, behind its indentation. */
function withExplicitKeys(text: string): string {
  let result = '';
  let copied = 0;
  for (let start = 0; start < text.length;) {
    const end = lineEnd(text, start);
    // Most lines are short.
    const key = end - start > maxImplicitKey ? longKeyIn(text, start) : undefined;
    if (key) {
      result += `${text.slice(copied, key.start)}? ${text.slice(key.start, key.end)} `;
      copied = key.end;
    }
    start = end + 1;
  }
  return result + text.slice(copied);
}

function lineEnd(text: string, start: number): number {
  const end = text.indexOf('\n', start);
  return end < 0 ? text.length : end;
}

/** Where the long key of a line is, quotes included; undefined for a short one, and for a text that is no key. */
function longKeyIn(text: string, lineStart: number): { start: number; end: number } | undefined {
  let start = lineStart;
  while (text[start] === ' ') start += 1;
  if (text[start] !== '"') return undefined;
  let end = start + 1;
  while (text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
  end += 1;
  return text[end] === ':' && end - start > maxImplicitKey ? { start, end } : undefined;
}
