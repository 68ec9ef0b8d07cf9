/** The files that say how names become addresses: `/etc/hosts` and `/etc/resolv.conf`, read as Go's resolver reads them. */
import { isIP } from 'node:net';
import { SharedSlice } from './cooperate.ts';

/** How DNS is asked. */
export interface DnsSettings {
  /** Addresses of servers. */
  readonly servers: readonly string[];
  /** Domains that a name may be relative to. */
  readonly search: readonly string[];
  /** A name with as many dots is looked up as it is first. */
  readonly ndots: number;
  readonly timeoutMs: number;
  /** How often each server is asked. */
  readonly attempts: number;
}

/** As for Go and glibc where the file says nothing. */
const usualServers = ['127.0.0.1', '::1'];
const highest = { ndots: 15, timeout: 30, attempts: 5 };
/** Each may cost the time of all attempts. */
const mostDomains = 16;

/** @param text of `/etc/resolv.conf` */
export function readDnsSettings(text: string): DnsSettings {
  const servers: string[] = [];
  let search: readonly string[] = [];
  const numbers = { ndots: 1, timeout: 5, attempts: 2 };
  for (const line of text.split('\n')) {
    const [keyword = '', ...values] = line
      .replace(/[#;].*/, '')
      .trim()
      .split(/\s+/);
    if (keyword === 'nameserver') servers.push(...values.slice(0, 1).filter((one) => isIP(one) !== 0));
    else if (keyword === 'search' || keyword === 'domain') search = values.slice(0, mostDomains);
    else if (keyword === 'options') readOptions(values, numbers);
  }
  return {
    servers: servers.length > 0 ? servers : usualServers,
    search: search.map((domain) => domain.replace(/\.$/, '')).filter((domain) => domain !== ''),
    ndots: numbers.ndots,
    timeoutMs: numbers.timeout * 1_000,
    attempts: numbers.attempts,
  };
}

function readOptions(options: readonly string[], numbers: Record<keyof typeof highest, number>): void {
  for (const option of options) {
    const [, name, digits] = /^(ndots|timeout|attempts):(\d+)$/.exec(option) ?? [];
    if (name === undefined) continue;
    const known = name as keyof typeof highest;
    numbers[known] = Math.min(Math.max(Number(digits), known === 'ndots' ? 0 : 1), highest[known]);
  }
}

/** The names to ask for, in order: in the domains that the name may be relative to, and as it is. */
export function fullNames(name: string, { search, ndots }: DnsSettings): string[] {
  if (name.endsWith('.')) return [name.slice(0, -1)];
  const relative = search.map((domain) => `${name}.${domain}`);
  return name.split('.').length > ndots ? [name, ...relative] : [...relative, name];
}

const reading = new SharedSlice();

/**
 * Addresses by name, in lower case. Lists against advertisers have 100,000 lines, which take several turns.
 * @param text of `/etc/hosts`
 */
export async function readHosts(text: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const hosts = new Map<string, string[]>();
  for (let at = 0; at < text.length;) {
    const end = text.indexOf('\n', at);
    const line = text.slice(at, end < 0 ? text.length : end);
    at += line.length + 1;
    readHost(line, hosts);
    if (reading.shouldYield()) await reading.yieldNow();
  }
  return hosts;
}

function readHost(line: string, hosts: Map<string, string[]>): void {
  const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
  if (isIP(address) === 0) return;
  for (const name of names) {
    const known = hosts.get(name.toLowerCase());
    if (known) known.push(address);
    else hosts.set(name.toLowerCase(), [address]);
  }
}
