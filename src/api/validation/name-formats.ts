/** Formats of names that fields declare, by the names that the reference gives them. */
import {
  cIdentifierName,
  dns1123Label,
  dns1123Subdomain,
  labelMaxLength,
  pathSegment,
  qualifiedName,
  subdomainMaxLength,
} from './name-rules.ts';

/** Gives the messages of what is wrong with a text. */
export type NameFormat = (text: string) => readonly string[];

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const maxIdentifier = 32;

/** A DNS subdomain in any case: names of drivers. */
function caselessSubdomain(text: string): string[] {
  return dns1123Subdomain(text.toLowerCase());
}

/** Subdomains, separated by slashes. */
function poolName(text: string): string[] {
  const tooLong = text.length > subdomainMaxLength ? [atMost(subdomainMaxLength)] : [];
  return [
    ...tooLong,
    ...text
      .slice(0, 2 * subdomainMaxLength)
      .split('/')
      .flatMap(dns1123Subdomain),
  ];
}

/** `domain/identifier`. */
function fullyQualifiedName(text: string): string[] {
  const slash = text.indexOf('/');
  if (slash < 0) return ['must be a domain and an identifier, separated by a slash'];
  const [domain, identifier] = [text.slice(0, slash), text.slice(slash + 1)];
  return [
    ...(domain.length > labelMaxLength ? [`the domain ${atMost(labelMaxLength)}`] : dns1123Subdomain(domain)),
    ...(identifier.length > maxIdentifier
      ? [`the identifier ${atMost(maxIdentifier)}`]
      : cIdentifierName(identifier)),
  ];
}

/** A resource of a domain that is not the project's own, whose quota has a valid name, too. */
function extendedResourceName(text: string): string[] {
  if (!text.includes('/')) return ['must have a domain before a slash'];
  if (text.startsWith('requests.')) return ["must not begin with 'requests.'"];
  return [...qualifiedName(text), ...qualifiedName(`requests.${text}`)].slice(0, 1);
}

function atMost(length: number): string {
  return `must be no more than ${String(length)} characters`;
}

export const nameFormats: Readonly<Record<string, NameFormat>> = {
  'short-name': dns1123Label,
  'long-name': dns1123Subdomain,
  'long-name-caseless': caselessSubdomain,
  'label-key': qualifiedName,
  'path-segment-name': pathSegment,
  'resource-pool-name': poolName,
  'resource-fully-qualified-name': fullyQualifiedName,
  'extended-resource-name': extendedResourceName,
  uuid: (text) => (uuid.test(text) ? [] : ['must be a UUID in lower case']),
};
