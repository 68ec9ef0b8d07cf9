/**
 * What browsers ask of a server: whether scripts of another origin may use it (Fetch standard, "HTTP-CORS protocol"), and
 * whether they shall come back by HTTPS only (RFC 6797). Nothing is said unless flags ask for it.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { patternOf } from '../schema/structural/pattern.ts';
import { dropRest } from './unread-body.ts';

export interface BrowserPolicy {
  /** Patterns of origins whose scripts may use the API; empty for none. */
  readonly allowedOrigins: readonly string[];
  /** Directives of `Strict-Transport-Security`; empty for none. */
  readonly strictTransportSecurity: readonly string[];
}

/** Sets the headers of the response. Returns true if the request was a preflight, which is answered here. */
export type BrowserRules = (req: IncomingMessage, res: ServerResponse) => boolean;

const methods = 'POST, GET, OPTIONS, PUT, DELETE, PATCH';
const headers =
  'Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since';

/**
 * Longest origin in characters that is compared: a scheme, a host name of at most 253 (RFC 1035) and a port are shorter.
 * Whoever connects may send tens of kilobytes, which a pattern reads at microseconds a character.
 */
const longestOrigin = 512;

/** undefined if there is nothing to say. @throws Error for a pattern that is none, which the flags refuse */
export function createBrowserRules(policy: BrowserPolicy): BrowserRules | undefined {
  const patterns = policy.allowedOrigins.map((text) => {
    const pattern = patternOf(text);
    if (!pattern) throw new Error(`${JSON.stringify(text)} is no pattern`);
    return pattern;
  });
  const security = policy.strictTransportSecurity.join('; ');
  if (patterns.length === 0 && security === '') return undefined;
  return (req, res) => {
    if (security !== '') res.setHeader('Strict-Transport-Security', security);
    const { origin } = req.headers;
    if (origin === undefined || origin.length > longestOrigin) return false;
    if (!patterns.some((pattern) => pattern.matcher(origin).find())) return false;
    res.setHeader('Access-Control-Allow-Origin', origin);
    res.setHeader('Access-Control-Allow-Methods', methods);
    res.setHeader('Access-Control-Allow-Headers', headers);
    res.setHeader('Access-Control-Expose-Headers', 'Date');
    res.setHeader('Access-Control-Allow-Credentials', 'true');
    if (req.method !== 'OPTIONS') return false;
    dropRest(req);
    res.writeHead(204).end();
    return true;
  };
}
