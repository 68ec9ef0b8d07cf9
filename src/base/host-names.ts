/**
 * Addresses of host names. `lookup` of node:dns asks the C library, which holds one of two threads of the process for each
 * name until a server answers: while servers of names do not answer, each takes ten seconds, and all other names wait
 * behind them, that of etcd among them. Here lookups do not wait for each other, as in Go's resolver:
 *
 *   name ─▶ /etc/hosts ─▶ DNS, by /etc/resolv.conf ─▶ addresses
 *                          ├─ no answer ─▶ EAI_AGAIN
 *                          └─ no such name ─▶ the C library, which may know other sources (multicast DNS, directories)
 */
import { promises, type LookupAddress } from 'node:dns';
import { stat } from 'node:fs/promises';
import { isIP, type LookupFunction } from 'node:net';
import { asError, codeOf } from './errors.ts';
import { readRegularFile } from './regular-file.ts';
import { fullNames, readDnsSettings, readHosts, type DnsSettings } from './resolver-files.ts';

/** What a resolver looks at. */
export interface NameSources {
  /** Path of `/etc/hosts`. */
  readonly hosts: string;
  /** Path of `/etc/resolv.conf`. */
  readonly dnsSettings: string;
  /** Port of the servers. */
  readonly port: number;
  /** Asked for names that are in none of these. */
  readonly otherwise: (name: string) => Promise<LookupAddress[]>;
}

const unknownName: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

/** As in Go: changes of files count after this time. */
const freshMs = 5_000;

export class HostNames {
  readonly #sources: NameSources;
  readonly #hosts: WatchedFile<ReadonlyMap<string, readonly string[]>>;
  readonly #dns: WatchedFile<Dns>;
  /** Lookups in progress by name, which all who ask for it share. */
  readonly #asking = new Map<string, Promise<LookupAddress[]>>();

  constructor(sources: NameSources) {
    this.#sources = sources;
    this.#hosts = new WatchedFile(sources.hosts, readHosts);
    this.#dns = new WatchedFile(sources.dnsSettings, (text) => new Dns(readDnsSettings(text), sources.port));
  }

  /** For `net.connect()` and all that is built on it. */
  readonly lookup: LookupFunction = (name, { all, family = 0 }, done) => {
    const wanted = family === 'IPv4' ? 4 : family === 'IPv6' ? 6 : family;
    this.addressesOf(name).then(
      (found) => {
        const fitting = found.filter((one) => wanted === 0 || one.family === wanted);
        const [first] = fitting;
        if (!first) done(noSuchHost(name), []);
        else if (all === true) done(null, fitting);
        else done(null, first.address, first.family);
      },
      (error: unknown) => {
        done(asError(error), []);
      },
    );
  };

  /**
   * All addresses of a name, at least one, those of IPv4 first.
   * @throws Error with the code ENOTFOUND, or EAI_AGAIN where no server answers
   */
  addressesOf(name: string): Promise<LookupAddress[]> {
    const asked = this.#asking.get(name);
    if (asked) return asked;
    const found = this.#find(name).finally(() => this.#asking.delete(name));
    this.#asking.set(name, found);
    return found;
  }

  async #find(name: string): Promise<LookupAddress[]> {
    const plain = name.toLowerCase().replace(/\.$/, '');
    const hosts = await this.#hosts.content();
    const listed = hosts.get(plain) ?? (plain === 'localhost' ? ['127.0.0.1', '::1'] : undefined);
    if (listed) return sorted(listed);
    const found = await (await this.#dns.content()).ask(name);
    if (found.length > 0) return sorted(found);
    return await this.#sources.otherwise(name).catch(() => {
      throw noSuchHost(name);
    });
  }
}

/** The servers of one state of the settings. */
class Dns {
  readonly #settings: DnsSettings;
  readonly #resolver: promises.Resolver;

  constructor(settings: DnsSettings, port: number) {
    const { servers, timeoutMs: timeout, attempts: tries } = settings;
    this.#settings = settings;
    this.#resolver = new promises.Resolver({ timeout, tries, maxTimeout: timeout });
    this.#resolver.setServers(servers.map((ip) => (isIP(ip) === 6 ? `[${ip}]` : ip) + `:${String(port)}`));
  }

  /**
   * The addresses of the first full name that has some; none where servers say that there is no such name.
   * @throws Error with the code EAI_AGAIN
   */
  async ask(name: string): Promise<string[]> {
    let failure: unknown = undefined;
    for (const full of fullNames(name, this.#settings)) {
      const answers = await Promise.allSettled([
        this.#resolver.resolve4(full),
        this.#resolver.resolve6(full),
      ]);
      const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
      if (found.length > 0) return found;
      failure ??= answers.find(isFailure)?.reason;
    }
    if (failure !== undefined) throw unanswered(name, failure);
    return [];
  }
}

function isFailure(answer: PromiseSettledResult<unknown>): answer is PromiseRejectedResult {
  return answer.status === 'rejected' && !unknownName.has(codeOf(answer.reason));
}

/** What a file says, read again when it has changed. A file that cannot be read is an empty one. */
class WatchedFile<T> {
  readonly #path: string;
  readonly #read: (text: string) => T | Promise<T>;
  #state: string | undefined;
  #content: Promise<T> | undefined;
  #checkedAt = 0;

  constructor(path: string, read: (text: string) => T | Promise<T>) {
    this.#path = path;
    this.#read = read;
  }

  content(): Promise<T> {
    const now = performance.now();
    if (this.#content && now - this.#checkedAt < freshMs) return this.#content;
    this.#checkedAt = now;
    return (this.#content = this.#current(this.#content));
  }

  async #current(known: Promise<T> | undefined): Promise<T> {
    const state = await stat(this.#path).then(
      ({ ino, size, mtimeMs }) => [ino, size, mtimeMs].join(' '),
      () => '',
    );
    if (known && state === this.#state) return await known;
    this.#state = state;
    const bytes = await readRegularFile(this.#path).catch(() => Buffer.alloc(0));
    return await this.#read(bytes.toString());
  }
}

function sorted(addresses: readonly string[]): LookupAddress[] {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return all.sort((a, b) => a.family - b.family);
}

/** In the words of Go. */
function noSuchHost(name: string): Error {
  return Object.assign(new Error(`lookup ${name}: no such host`), { code: 'ENOTFOUND', hostname: name });
}

function unanswered(name: string, cause: unknown): Error {
  const problem = codeOf(cause) === 'ETIMEOUT' ? 'i/o timeout' : 'server misbehaving';
  const error = new Error(`lookup ${name}: ${problem}`, { cause });
  return Object.assign(error, { code: 'EAI_AGAIN', hostname: name });
}

function askSystem(name: string): Promise<LookupAddress[]> {
  return promises.lookup(name, { all: true });
}

const ofMachine = new HostNames({
  hosts: '/etc/hosts',
  dnsSettings: '/etc/resolv.conf',
  port: 53,
  otherwise: askSystem,
});

const isLinux = process.platform === 'linux';

/** All addresses of a name; elsewhere than on Linux the system has settings of its own. @throws as `HostNames.addressesOf` */
export function addressesOf(name: string): Promise<LookupAddress[]> {
  return isLinux ? ofMachine.addressesOf(name) : askSystem(name);
}

/** To be given to every connection that leads to a name. */
export const byName: { readonly lookup?: LookupFunction } = isLinux ? { lookup: ofMachine.lookup } : {};
