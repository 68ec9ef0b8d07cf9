/** Named formats: `!format.dns1123Label().validate(self.name).hasValue()`. */
import { isOfFormat } from '../../schema/structural/formats.ts';
import { global, member, type CallCost, type Overload } from '../language/functions.ts';
import { opaque } from '../language/types.ts';
import { NativeList, Opaque, Optional } from '../language/values.ts';
import { readUrl } from './urls.ts';

type Check = (text: string) => readonly string[];

export class FormatValue extends Opaque {
  readonly type = opaque('NamedFormat');
  readonly name: string;
  readonly check: Check;

  constructor(name: string, check: Check) {
    super();
    this.name = name;
    this.check = check;
  }

  equals(other: Opaque): boolean {
    return other instanceof FormatValue && other.name === this.name;
  }
}

const label = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
const subdomain = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
const label1035 = /^[a-z](?:[-a-z0-9]*[a-z0-9])?$/;
const word = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

/** A text of at most so many characters that matches; a prefix may end in a dash. */
function matching(pattern: RegExp, most: number, what: string): Check {
  return (text) => [
    ...(text.length > most ? [`must be no more than ${String(most)} characters`] : []),
    ...(text.length <= most && pattern.test(text) ? [] : [what]),
  ];
}

function asPrefix(check: Check): Check {
  return (text) => check(text.length > 1 && text.endsWith('-') ? `${text.slice(0, -1)}a` : text);
}

const dnsLabel = matching(
  label,
  63,
  "a lowercase DNS label has lower case letters, digits or '-', and starts and ends with a letter or digit",
);
const dnsSubdomain = matching(
  subdomain,
  253,
  "a lowercase DNS subdomain has lower case letters, digits, '-' or '.', and starts and ends with a letter or digit",
);
const dnsLabel1035 = matching(
  label1035,
  63,
  "a DNS label of RFC 1035 has lower case letters, digits or '-', starts with a letter and ends with a letter or digit",
);
const name = matching(
  word,
  63,
  "the name has letters, digits, '-', '_' or '.', and starts and ends with a letter or digit",
);

const qualifiedName: Check = (text) => {
  const parts = text.split('/', 3);
  if (parts.length > 2) return ["a qualified name is a name with an optional DNS subdomain prefix and '/'"];
  const [first = '', second] = parts;
  return second === undefined ? name(first) : [...dnsSubdomain(first), ...name(second)];
};

const labelValue: Check = (text) => (text === '' ? [] : name(text));

const ofSchema =
  (format: string, message: string): Check =>
  (text) =>
    isOfFormat(format, text) ? [] : [message];

const known: ReadonlyMap<string, FormatValue> = new Map(
  (
    [
      ['dns1123Label', dnsLabel],
      ['dns1123Subdomain', dnsSubdomain],
      ['dns1035Label', dnsLabel1035],
      ['qualifiedName', qualifiedName],
      ['dns1123LabelPrefix', asPrefix(dnsLabel)],
      ['dns1123SubdomainPrefix', asPrefix(dnsSubdomain)],
      ['dns1035LabelPrefix', asPrefix(dnsLabel1035)],
      ['labelValue', labelValue],
      ['uri', (text) => (readUrl(text) ? [] : ['must be an absolute URL or path'])],
      ['uuid', ofSchema('uuid', 'does not match the UUID format')],
      ['byte', ofSchema('byte', 'invalid base64')],
      ['date', ofSchema('date', 'invalid date')],
      ['datetime', ofSchema('date-time', 'invalid datetime')],
    ] satisfies [string, Check][]
  ).map(([format, check]) => [format, new FormatValue(format, check)]),
);

/** As if the pattern had 64 characters. */
const checkCost: CallCost = (_format: FormatValue, text: string) => Math.ceil((1 + text.length) * 0.1) * 16;

export const formats: readonly Overload[] = [
  ...Array.from(known, ([format, value]) =>
    global(`format.${format}`, `format.${format}`, '-> NamedFormat', () => value),
  ),
  global('format.named', 'format-named', 'string -> optional(NamedFormat)', (_run, format: string) => {
    const value = known.get(format);
    return value ? new Optional(value) : Optional.none;
  }),
  member(
    'validate',
    'format-validate',
    'NamedFormat, string -> optional(list(string))',
    (run, { check }: FormatValue, text: string) => {
      run.work(text.length / 16);
      const problems = check(text);
      return problems.length === 0 ? Optional.none : new Optional(new NativeList(problems));
    },
    checkCost,
  ),
];
