/** The balancer of the deployment as a process, with its own configuration. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { Child } from './child-process.ts';
import { freePort } from './free-port.ts';
import { findProgram, repositoryRoot } from './paths.ts';
import type { ServicePki } from './replica.ts';
import { waitFor } from './wait-for.ts';

export const haproxy = findProgram('haproxy', ['/usr/sbin']);

const folder = join(repositoryRoot, 'deploy', 'haproxy');

/** Where what is balanced listens. */
export interface Balanced {
  readonly port: number;
  readonly healthCheckPort: number;
}

export class Balancer implements AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly #metricsPort: number;
  readonly #pki: ServicePki;
  readonly #checks: boolean;
  #replicas: readonly Balanced[];
  #child: Child | undefined;

  private constructor(
    ports: readonly [number, number],
    { pki, replicas, checks }: { pki: ServicePki; replicas: readonly Balanced[]; checks: boolean },
  ) {
    [this.port, this.#metricsPort] = ports;
    this.url = `https://127.0.0.1:${String(this.port)}`;
    this.#pki = pki;
    this.#replicas = replicas;
    this.#checks = checks;
  }

  /** Replicas need a `healthCheckPort`, unless there are no checks. Starts it as its image does, with a master process that can reload. */
  static async start(
    pki: ServicePki,
    replicas: readonly Balanced[],
    { checks = true }: { checks?: boolean } = {},
  ): Promise<Balancer> {
    const ports = [await freePort(), await freePort()] as const;
    const balancer = new Balancer(ports, { pki, replicas, checks });
    await balancer.#launch();
    return balancer;
  }

  async #launch(): Promise<void> {
    const args = ['-W', '-db', '-f', this.#writeConfiguration()];
    this.#child = await Child.start({ name: 'haproxy', program: haproxy ?? '', args });
  }

  /** The deployed configuration, but for where the balancer listens and where replicas are. */
  #writeConfiguration(): string {
    const text = readFileSync(join(folder, 'haproxy.cfg'), 'utf8')
      .replaceAll(/^ *server replica-(\d) .*$/gm, (_line, number: string) => {
        const replica = this.#replicas[Number(number) - 1];
        if (replica === undefined) return '';
        const { port, healthCheckPort } = replica;
        const checked = this.#checks ? ` port ${String(healthCheckPort)}` : '';
        return `    server replica-${number} 127.0.0.1:${String(port)}${checked}`;
      })
      .replaceAll('/pki/ca.crt', this.#pki.authority.caFile)
      .replaceAll('/usr/local/etc/haproxy/', `${folder}/`)
      .replaceAll('METRICS_PORT 8404', `METRICS_PORT ${String(this.#metricsPort)}`)
      .replaceAll(/(bind ):6443/g, `$1127.0.0.1:${String(this.port)}`)
      .replaceAll(/(bind ):8404/g, `$1127.0.0.1:${String(this.#metricsPort)}`);
    const used = this.#checks ? text : text.replaceAll(/^ *default-server (port 6444|check .*)$/gm, '');
    const file = join(this.#pki.folder, 'haproxy.cfg');
    writeFileSync(file, used);
    return file;
  }

  /** Ends it with all its connections, and starts it again. */
  async restart(): Promise<void> {
    await this.#child?.kill();
    await this.#launch();
  }

  /** Gives it these replicas and reloads it, as an operator does who adds one. */
  async reload(replicas: readonly Balanced[]): Promise<void> {
    this.#replicas = replicas;
    this.#writeConfiguration();
    const before = this.#count('New worker');
    this.#child?.signal('SIGUSR2');
    await waitFor('the balancer to reload', () => this.#count('New worker') > before, {
      details: () => this.log(),
    });
  }

  /** How many connections each replica has got since the last (re)load, by the balancer's own metrics. */
  async sessions(): Promise<number[]> {
    const text = await this.metrics();
    return this.#replicas.map((replica) => {
      const labels = `proxy="replicas",server="${this.nameOf(replica)}"`;
      const found = new RegExp(`^haproxy_server_sessions_total{${labels}} (\\d+)$`, 'm').exec(text);
      if (found === null) throw new Error(`no sessions of ${labels} in:\n${text.slice(0, 2000)}`);
      return Number(found[1]);
    });
  }

  /** Milliseconds that the last check of each replica took. */
  async checkMs(): Promise<number[]> {
    const found = (await this.metrics()).matchAll(
      /^haproxy_server_check_duration_seconds{proxy="replicas",.*} (.*)$/gm,
    );
    return [...found].map(([, seconds]) => Number(seconds) * 1000);
  }

  /** Its metrics as Prometheus gets them. */
  async metrics(): Promise<string> {
    return (await fetch(`http://127.0.0.1:${String(this.#metricsPort)}/metrics`)).text();
  }

  /** The last line that it logged about a replica or, for `replicas/`, about any. */
  lastAbout(what: Balanced | 'replicas/'): string {
    const server = what === 'replicas/' ? what : `replicas/${this.nameOf(what)} `;
    return (
      this.log()
        .split('\n')
        .findLast((line) => line.includes(`Server ${server}`)) ?? ''
    );
  }

  isUsed(replica: Balanced): boolean {
    return this.lastAbout(replica).includes(' is UP');
  }

  nameOf(replica: Balanced): string {
    return `replica-${String(this.#replicas.indexOf(replica) + 1)}`;
  }

  log(): string {
    return this.#child?.output() ?? '';
  }

  #count(text: string): number {
    return this.log().split(text).length - 1;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Its workers end with it, and their connections.
    await this.#child?.kill();
  }
}
