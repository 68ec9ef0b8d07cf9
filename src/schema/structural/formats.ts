/** Formats of texts that custom resources are held to; a format that is not here is a mere comment (OpenAPI v3, "format"). */
import { parseDuration } from '../../base/duration.ts';
import { parseAddress } from '../../base/ip-address.ts';
import { parseBlock } from '../../base/ip-block.ts';

type FormatCheck = (text: string) => boolean;

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const date = /^(\d{4})-(\d{2})-(\d{2})$/;
const dateTime = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/;
const email = /^[^\s@<>()[\],;:"\\]+@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?$/;
const hostname =
  /^(?=.{1,255}$)[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}))*\.?$/;
const mac = /^(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}$/;
const uuid = /^[0-9A-Fa-f]{8}-?[0-9A-Fa-f]{4}-?[0-9A-Fa-f]{4}-?[0-9A-Fa-f]{4}-?[0-9A-Fa-f]{12}$/;

const checks: Readonly<Record<string, FormatCheck>> = {
  bsonobjectid: (text) => /^[0-9a-fA-F]{24}$/.test(text),
  byte: (text) => text !== '' && base64.test(text),
  cidr: (text) => parseBlock(text) !== undefined,
  creditcard: (text) => isLuhn(text.replaceAll(/[ -]/g, '')),
  date: isDate,
  'date-time': isDateTime,
  datetime: isDateTime,
  duration: (text) => parseDuration(text) !== undefined,
  email: (text) => text.length <= 320 && email.test(text),
  hexcolor: (text) => /^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text),
  hostname: (text) => hostname.test(text),
  ipv4: (text) => text.includes('.') && parseAddress(text) !== undefined,
  ipv6: (text) => text.includes(':') && parseAddress(text) !== undefined,
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  mac: (text) => mac.test(text),
  rgbcolor: (text) => /^rgb\(\s*(?:\d{1,3}%?\s*,\s*){2}\d{1,3}%?\s*\)$/.test(text),
  ssn: (text) => /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text),
  uri: (text) => URL.canParse(text) || /^\/[^\s]*$/.test(text),
  uuid: (text) => uuid.test(text),
  uuid3: (text) => uuid.test(text) && versionOf(text) === '3',
  uuid4: (text) => uuid.test(text) && versionOf(text) === '4',
  uuid5: (text) => uuid.test(text) && versionOf(text) === '5',
};

/** False when the text is not of the format; true for formats without rules for strings. */
export function isOfFormat(format: string, text: string): boolean {
  const check = Object.hasOwn(checks, format) ? checks[format] : undefined;
  return check?.(text) ?? true;
}

const integerRanges: Readonly<Record<string, readonly [bigint, bigint]>> = {
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
};

/** Whether a whole number fits its format. */
export function isInRange(format: string, value: bigint): boolean {
  const range = Object.hasOwn(integerRanges, format) ? integerRanges[format] : undefined;
  return !range || (value >= range[0] && value <= range[1]);
}

function isDate(text: string): boolean {
  const [, year, month, day] = date.exec(text) ?? [];
  if (year === undefined) return false;
  const time = new Date(`${text}T00:00:00Z`);
  return (
    !Number.isNaN(time.getTime()) &&
    time.getUTCMonth() + 1 === Number(month) &&
    time.getUTCDate() === Number(day)
  );
}

function isDateTime(text: string): boolean {
  return (
    dateTime.test(text) && isDate(text.slice(0, 10)) && !Number.isNaN(Date.parse(text.replace(' ', 'T')))
  );
}

function versionOf(text: string): string {
  return text.replaceAll('-', '').charAt(12);
}

function isLuhn(digits: string): boolean {
  if (!/^\d{12,19}$/.test(digits)) return false;
  const sum = Array.from(digits)
    .reverse()
    .reduce((total, digit, i) => {
      const doubled = Number(digit) * (i % 2 === 1 ? 2 : 1);
      return total + (doubled > 9 ? doubled - 9 : doubled);
    }, 0);
  return sum % 10 === 0;
}

function isIsbn10(text: string): boolean {
  const digits = text.replaceAll(/[ -]/g, '');
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  const sum = Array.from(digits).reduce(
    (total, digit, i) => total + (i + 1) * (digit === 'X' ? 10 : Number(digit)),
    0,
  );
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replaceAll(/[ -]/g, '');
  if (!/^\d{13}$/.test(digits)) return false;
  return (
    Array.from(digits).reduce((total, digit, i) => total + Number(digit) * (i % 2 === 0 ? 1 : 3), 0) % 10 ===
    0
  );
}
