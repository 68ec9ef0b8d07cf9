/** How things are named: DNS labels and subdomains, path segments, qualified names, environment variables. */
import type { NameRule } from '../types.ts';

const labelText = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const label1123 = new RegExp(`^${labelText}$`);
const subdomain1123 = new RegExp(`^${labelText}(\\.${labelText})*$`);
const label1035 = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const qualifiedPart = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const wildcardSubdomain = new RegExp(`^\\*\\.${labelText}(\\.${labelText})*$`);
const envName = /^[-._a-zA-Z][-._a-zA-Z0-9]*$/;
const cIdentifier = /^[A-Za-z_][A-Za-z0-9_]*$/;
const dataKey = /^[-._a-zA-Z0-9]+$/;
const headerName = /^[-A-Za-z0-9]+$/;
const portName = /^[-a-z0-9]+$/;
/** What most ports are called: a name that breaks no rule of port names. */
const plainPortName = /^[a-z]{1,15}$/;

export const labelMaxLength = 63;
export const subdomainMaxLength = 253;

function tooLongBy(value: string, max: number): string[] {
  return value.length > max ? [`must be no more than ${String(max)} characters`] : [];
}

function fits(value: string, pattern: RegExp, max: number, message: string): string[] {
  const isFit = pattern.test(value);
  if (isFit && value.length <= max) return [];
  return [...tooLongBy(value, max), ...(isFit ? [] : [message])];
}

/** RFC 1123 label: 63 characters. */
export function dns1123Label(value: string): string[] {
  return fits(
    value,
    label1123,
    labelMaxLength,
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name')",
  );
}

/** RFC 1123 subdomain: labels joined by dots, 253 characters. */
export function dns1123Subdomain(value: string): string[] {
  return fits(
    value,
    subdomain1123,
    subdomainMaxLength,
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com')",
  );
}

/** RFC 1035 label: like an RFC 1123 label, but it starts with a letter. */
export function dns1035Label(value: string): string[] {
  return fits(
    value,
    label1035,
    labelMaxLength,
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name')",
  );
}

/** A subdomain whose first label may be `*`. */
export function wildcardDns1123Subdomain(value: string): string[] {
  return fits(
    value,
    wildcardSubdomain,
    subdomainMaxLength,
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain (e.g. '*.example.com')",
  );
}

/** What can be one segment of a path. */
export function pathSegment(value: string): string[] {
  if (value === '.' || value === '..') return [`may not be '${value}'`];
  if (!value.includes('/') && !value.includes('%')) return [];
  return ['/', '%'].filter((c) => value.includes(c)).map((c) => `may not contain '${c}'`);
}

/** `name` or `domain/name`: label keys, annotation keys, resource names. */
export function qualifiedName(value: string): string[] {
  const slash = value.indexOf('/');
  if (slash < 0) return namePartErrors(value);
  if (value.includes('/', slash + 1)) {
    return [
      "a qualified name must be a name, with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
    ];
  }
  const errorsOfPrefix = prefixErrors(value.slice(0, slash));
  const errorsOfName = namePartErrors(value.slice(slash + 1));
  return errorsOfPrefix.length === 0 ? errorsOfName : [...errorsOfPrefix, ...errorsOfName];
}

function prefixErrors(prefix: string): string[] {
  if (prefix === '') return ['prefix part must be non-empty'];
  return ofPart('prefix', dns1123Subdomain(prefix));
}

function namePartErrors(name: string): string[] {
  if (name === '') return ['name part must be non-empty'];
  const messages = fits(
    name,
    qualifiedPart,
    labelMaxLength,
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName')",
  );
  return ofPart('name', messages);
}

function ofPart(part: string, messages: string[]): string[] {
  return messages.length === 0 ? messages : messages.map((message) => `${part} part ${message}`);
}

/** Name of an environment variable. */
export function envVarName(value: string): string[] {
  const shape = envName.test(value)
    ? []
    : [
        "a valid environment variable name must consist of letters, digits, '_', '-' or '.', and must not start with a digit",
      ];
  return shape.length === 0 ? dottedName(value) : [...shape, ...dottedName(value)];
}

/** Name of an environment variable that no shell has to read. */
export function relaxedEnvVarName(value: string): string[] {
  if (value === '') return ['must be non-empty'];
  return /^[ -<>-~]+$/.test(value)
    ? []
    : ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

/** Prefix or key that becomes part of an environment variable's name. */
export function cIdentifierName(value: string): string[] {
  return cIdentifier.test(value)
    ? []
    : [
        "a valid C identifier must start with an alphabetic character or '_', followed by alphanumeric characters or '_'",
      ];
}

/** Key of a ConfigMap or Secret. */
export function configMapKey(value: string): string[] {
  return [
    ...fits(
      value,
      dataKey,
      subdomainMaxLength,
      "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
    ),
    ...dottedName(value),
  ];
}

function dottedName(value: string): string[] {
  if (value === '.') return ["must not be '.'"];
  if (value === '..') return ["must not be '..'"];
  return value.startsWith('..') ? ["must not start with '..'"] : [];
}

/** Name of an HTTP header. */
export function httpHeaderName(value: string): string[] {
  return headerName.test(value)
    ? []
    : ["a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name')"];
}

/** Name of a port inside a container. */
export function ianaPortName(value: string): string[] {
  if (plainPortName.test(value)) return [];
  return [
    ...tooLongBy(value, 15),
    ...(portName.test(value)
      ? []
      : ['must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)']),
    ...(/[a-z]/.test(value) ? [] : ['must contain at least one letter (a-z)']),
    ...(value.includes('--') ? ['must not contain consecutive hyphens'] : []),
    ...(value.startsWith('-') || value.endsWith('-') ? ['must not begin or end with a hyphen'] : []),
  ];
}

/** A generateName is judged with its last dash masked: the random part follows it. */
function masked(name: string, isPrefix: boolean): string {
  return isPrefix && name.endsWith('-') && name.length > 1 ? `${name.slice(0, -1)}a` : name;
}

export const nameIsDns1123Label: NameRule = (name, isPrefix) => dns1123Label(masked(name, isPrefix));
export const nameIsDns1123Subdomain: NameRule = (name, isPrefix) => dns1123Subdomain(masked(name, isPrefix));
export const nameIsDns1035Label: NameRule = (name, isPrefix) => dns1035Label(masked(name, isPrefix));
export const nameIsPathSegment: NameRule = (name, isPrefix) =>
  isPrefix ? pathSegment(name).filter((message) => !message.startsWith('may not be')) : pathSegment(name);
