/** YAML 1.1 scalars as clients of this API know them: `yes`, `n`, `on` are booleans, `010` is octal, dates are text. */
import type { JsonValue } from '../base/json.ts';
import { DecodeError } from './decode-error.ts';
import { exactNumber } from './decode-json.ts';

const words = new Map<string, JsonValue>();
for (const text of ['', '~', 'null', 'Null', 'NULL']) words.set(text, null);
for (const text of ['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'])
  words.set(text, true);
for (const text of ['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'])
  words.set(text, false);

const integer = /^[-+]?(?:0|[1-9][0-9]*)$/;
const based = /^([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+))$/;
const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const notFinite = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;

/**
 * The value of an unquoted scalar.
 * @throws DecodeError for infinities and NaN, which JSON cannot hold
 */
export function resolvePlain(text: string): JsonValue {
  const word = words.get(text);
  if (word !== undefined) return word;
  return /^[-+.0-9]/.test(text) ? (resolveNumber(text) ?? text) : text;
}

/** Whether an unquoted scalar is read as an integer here: `0O7` is, which neither version of YAML has. */
export function isIntegerText(text: string): boolean {
  const plain = text.replaceAll('_', '');
  return /^[-+0-9]/.test(text) && (integer.test(plain) || based.test(plain));
}

function resolveNumber(text: string): JsonValue | undefined {
  const plain = text.replaceAll('_', '');
  if (integer.test(plain)) return exactNumber(plain.startsWith('+') ? plain.slice(1) : plain);
  const found = based.exec(plain);
  if (found) return basedNumber(found);
  if (float.test(plain)) return exactNumber(plain);
  if (notFinite.test(plain)) throw new DecodeError(`invalid YAML: JSON has no number ${text}`);
  return undefined;
}

function basedNumber([, sign, hex, binary, octal]: RegExpExecArray): JsonValue {
  const digits = hex === undefined ? (binary === undefined ? `0o${octal ?? ''}` : `0b${binary}`) : `0x${hex}`;
  const value = BigInt(digits);
  return exactNumber(String(sign === '-' ? -value : value));
}

/** The prefix of the tags that YAML itself defines. */
const corePrefix = 'tag:yaml.org,2002:';

/** `str` for `!!str` and its long form; undefined for a tag that YAML does not define. */
export function coreTag(tag: string): string | undefined {
  if (tag.startsWith('!!')) return tag.slice(2);
  if (tag.startsWith(`!<${corePrefix}`)) return tag.slice(2 + corePrefix.length, -1);
  return undefined;
}

/**
 * The value of a scalar with an explicit tag.
 * @throws DecodeError when the tag is unknown or the text does not fit it
 */
export function resolveTagged(tag: string, text: string): JsonValue {
  const name = tag === '!' ? 'str' : coreTag(tag);
  if (name === 'str' || name === 'timestamp') return text;
  if (name === 'binary') return decodeBinary(text);
  const value = resolvePlain(text);
  if (name !== undefined && fits(name, value)) return value;
  // A password that begins with an exclamation mark looks like a tag, and messages are kept in logs.
  throw new DecodeError('invalid YAML: a tag is not supported for its value');
}

function fits(name: string, value: JsonValue): boolean {
  if (name === 'null') return value === null;
  if (name === 'bool') return typeof value === 'boolean';
  if (name === 'int') return Number.isInteger(value) || JSON.isRawJSON(value);
  return name === 'float' && (typeof value === 'number' || JSON.isRawJSON(value));
}

function decodeBinary(text: string): string {
  const compact = text.replace(/\s/g, '');
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(compact)) {
    throw new DecodeError('invalid YAML: !!binary holds text that is not base64');
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(compact, 'base64'));
  } catch (error) {
    throw new DecodeError('invalid YAML: !!binary holds bytes that are not UTF-8 text', error);
  }
}
