/** URLs: `url(self.endpoint).getScheme() == 'https'`. Absolute URLs, or absolute paths (RFC 3986). */
import { isIPv6 } from 'node:net';

import { EvaluationError } from '../language/errors.ts';
import { global, member, type CallCost, type Overload } from '../language/functions.ts';
import { opaque } from '../language/types.ts';
import type { CelValue, MapKey } from '../language/values.ts';
import { NativeList, NativeMap, Opaque } from '../language/values.ts';

const urlType = opaque('URL');

interface UrlParts {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
}

export class UrlValue extends Opaque {
  readonly type = urlType;
  readonly text: string;
  readonly parts: UrlParts;

  constructor(text: string, parts: UrlParts) {
    super();
    this.text = text;
    this.parts = parts;
  }

  equals(other: Opaque): boolean {
    return other instanceof UrlValue && other.text === this.text;
  }
}

const syntax = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?]*)(?:\?(.*))?$/s;
const forbiddenInHost = /[\s<>"{}|\\^`\u0000-\u001f\u007f]|%(?![0-9A-Fa-f]{2})/;
const badEscape = /%(?![0-9A-Fa-f]{2})|[\u0000-\u001f\u007f]/;
const port = /:[0-9]*$/;

/** Undefined for what is neither an absolute URL nor an absolute path. */
export function readUrl(text: string): UrlValue | undefined {
  const [, scheme = '', authority, path = '', query = ''] = syntax.exec(text) ?? [];
  if (text === '' || badEscape.test(path) || /[\u0000-\u001f\u007f]/.test(query)) return undefined;
  const isPath = scheme === '' && text.startsWith('/');
  if (!isPath && (scheme === '' || (authority === undefined && !path.startsWith('/')))) return undefined;
  const host = authority?.slice(authority.lastIndexOf('@') + 1) ?? '';
  if (!isHost(host)) return undefined;
  return new UrlValue(text, { scheme: scheme.toLowerCase(), host, path: encoded(path), query });
}

function isHost(host: string): boolean {
  if (host.startsWith('['))
    return isIPv6(hostnameOf(host)) && /^(?::[0-9]*)?$/.test(host.slice(host.indexOf(']') + 1));
  const name = host.replace(port, '');
  return !name.includes(':') && !forbiddenInHost.test(name);
}

function hostnameOf(host: string): string {
  return host.startsWith('[') ? host.slice(1, host.indexOf(']')) : host.replace(port, '');
}

/** Characters that a path may not hold are escaped. */
function encoded(path: string): string {
  return path.replace(/[^A-Za-z0-9\-._~!$&'()*+,;=:@/%[\]]+/g, (part) =>
    encodeURIComponent(part.toWellFormed()),
  );
}

function queryOf(text: string): NativeMap {
  const entries = new Map<MapKey, readonly [CelValue, CelValue]>();
  const values = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const known = values.get(name);
    if (known) known.push(value);
    else values.set(name, [value]);
  }
  for (const [name, list] of values) entries.set(name, [name, new NativeList(list)]);
  return new NativeMap(entries);
}

const wholeText: CallCost = (text: string) => Math.ceil(text.length * 0.1);

const part = (name: string, id: string, get: (parts: UrlParts) => string): Overload =>
  member(name, id, 'URL -> string', (_run, { parts }: UrlValue) => get(parts));

export const urls: readonly Overload[] = [
  global(
    'url',
    'string_to_url',
    'string -> URL',
    (_run, text: string) => {
      const value = readUrl(text);
      if (!value)
        throw new EvaluationError(
          `URL parse error during conversion from string: ${JSON.stringify(text.slice(0, 50))}`,
        );
      return value;
    },
    wholeText,
  ),
  global(
    'isURL',
    'is_url_string',
    'string -> bool',
    (_run, text: string) => readUrl(text) !== undefined,
    wholeText,
  ),
  part('getScheme', 'url_get_scheme', ({ scheme }) => scheme),
  part('getHost', 'url_get_host', ({ host }) => host),
  part('getHostname', 'url_get_hostname', ({ host }) => hostnameOf(host)),
  part('getPort', 'url_get_port', ({ host }) => port.exec(host)?.[0].slice(1) ?? ''),
  part('getEscapedPath', 'url_get_escaped_path', ({ path }) => path),
  member(
    'getQuery',
    'url_get_query',
    'URL -> map(string, list(string))',
    (run, { parts: { query } }: UrlValue) => {
      run.work(query.length);
      return queryOf(query);
    },
  ),
];
