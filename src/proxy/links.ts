/** Links of a backend as clients of the proxy have to follow them. */
import { posix } from 'node:path';

export interface LinkPlace {
  /** Path under which clients see `/` of the backend. */
  readonly mount: string;
  /** `host` or `host:port` by which the backend, or this server, may call itself. */
  readonly ownHosts: ReadonlySet<string>;
  /** The host that the client named. */
  readonly clientHost: string;
}

/** RFC 3986, appendix B: scheme, authority, path, and the rest. */
const reference = /^([A-Za-z][\w+.-]*:)?(?:\/\/([^/?#]*))?([^?#]*)(.*)$/s;

/**
 * An absolute path on the backend becomes one below the mount, which `..` does not leave; links to other hosts and relative
 * ones stay as they are.
 * Behaviour: util/proxy/transport.go of apimachinery.
 */
export function rewriteLink(link: string, { mount, ownHosts, clientHost }: LinkPlace): string {
  const [, scheme = '', authority, path = '', rest = ''] = reference.exec(link) ?? [];
  const host = authority ?? '';
  const isElsewhere = host !== '' && host !== clientHost && !ownHosts.has(host);
  if (isElsewhere || !path.startsWith('/')) return link;
  const origin = host !== '' && host === clientHost ? `${scheme}//${host}` : '';
  if (path.startsWith(mount)) return `${origin}${path}${rest}`;
  return `${origin}${posix.join(mount, posix.normalize(path))}${rest}`;
}
