/** Clients that create config maps through all replicas without a pause, and remember what was answered. */
import type { Replica } from '../../support/replica.ts';
import { waitFor } from '../../support/wait-for.ts';

/** Where they are created. */
export const configMaps = '/api/v1/namespaces/default/configmaps';

interface Creation {
  readonly name: string;
  /** Monotonic time in milliseconds. */
  readonly sentAt: number;
}

export class Creations {
  readonly acknowledged: Creation[] = [];
  /** Answers to the others. */
  readonly failures: string[] = [];
  readonly #isOver = new AbortController();
  readonly #done: Promise<unknown>;

  /** @param round the beginning of all names */
  constructor(replicas: readonly Replica[], round: string) {
    this.#done = Promise.all(replicas.map((replica, i) => this.#create(replica, `${round}-${String(i)}`)));
  }

  /** Those that were sent after this time. */
  after(time: number): readonly string[] {
    return this.acknowledged.filter(({ sentAt }) => sentAt > time).map(({ name }) => name);
  }

  /** Waits until so many more are acknowledged that are sent from now on. */
  async more(count: number, what: string): Promise<void> {
    const now = performance.now();
    await waitFor(`${String(count)} more creations ${what}`, () => this.after(now).length >= count, {
      timeout: 30_000,
      details: () => this.failures.join('\n'),
    });
  }

  async stop(): Promise<void> {
    this.#isOver.abort();
    await this.#done;
  }

  async #create({ admin }: Replica, prefix: string): Promise<void> {
    for (let i = 0; !this.#isOver.signal.aborted; i += 1) {
      const [name, sentAt] = [`${prefix}-${String(i)}`, performance.now()];
      const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } };
      const { status, text } = await admin.post(configMaps, body);
      if (status === 201) this.acknowledged.push({ name, sentAt });
      else this.failures.push(text);
    }
  }
}

/** The names of all that a replica holds, in order. */
export async function namesHeldBy({ admin }: Replica): Promise<string[]> {
  return (await admin.list(configMaps)).items.map(({ metadata: { name } }) => name).sort();
}
