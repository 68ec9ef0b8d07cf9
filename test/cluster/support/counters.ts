/**
 * Clients whose writes show at the end whether one was lost or done twice: each increments a number by the version that it
 * knows, and makes objects with generated names.
 */
import type { Answer, ApiClient, ApiObject } from '../../support/client.ts';
import { waitFor } from '../../support/wait-for.ts';

export interface CounterOptions {
  /** Tells its creations from those of others. */
  readonly name: string;
  readonly client: ApiClient;
  readonly collection: string;
  /** The object with the number; it exists. */
  readonly object: string;
}

/** How the writes of one kind ended. */
interface Outcomes {
  acknowledged: number;
  unknown: number;
}

export class Counter {
  readonly object: string;
  readonly increments: Outcomes = { acknowledged: 0, unknown: 0 };
  readonly created = new Set<string>();
  readonly perhapsCreated = new Set<string>();
  /** Of thousands of generated names one is taken now and then; another is tried from release 1.31 on only. */
  readonly refused = new Set<string>();
  /** Versions that it was told by etcd's answers to its writes. */
  readonly versions: string[] = [];
  /** Refusals that nothing explains. */
  readonly errors: string[] = [];
  readonly #options: CounterOptions;
  #turn = 0;

  constructor(options: CounterOptions) {
    this.object = options.object;
    this.#options = options;
  }

  /** Acknowledged writes of both kinds. */
  get acknowledged(): number {
    return this.increments.acknowledged + this.created.size;
  }

  /** Writes one after the other until the signal. */
  async run(signal: AbortSignal): Promise<void> {
    let known = await this.#read();
    while (!signal.aborted) {
      known = await this.#increment(known);
      await this.#create();
    }
  }

  async #increment(known: ApiObject): Promise<ApiObject> {
    const path = `${this.#options.collection}/${this.object}`;
    const answer = await this.#send('PUT', path, { ...known, data: { count: String(countOf(known) + 1) } });
    if (answer?.status === 200) {
      this.increments.acknowledged += 1;
      return this.#told(answer);
    }
    // Another one counts, too; or an earlier write of its own was done late.
    if (answer?.status !== 409) {
      this.increments.unknown += 1;
      this.#doubt(answer);
    }
    return this.#read();
  }

  async #create(): Promise<void> {
    const { name, collection } = this.#options;
    const id = `${name}-${String((this.#turn += 1))}`;
    const answer = await this.#send('POST', collection, {
      metadata: { generateName: 'made-' },
      data: { id },
    });
    if (answer?.status === 201) {
      this.created.add(id);
      this.#told(answer);
    } else if (answer?.status === 409) {
      this.refused.add(id);
    } else {
      this.perhapsCreated.add(id);
      this.#doubt(answer);
    }
  }

  /** A read without a version is fresh. */
  async #read(): Promise<ApiObject> {
    const { collection } = this.#options;
    const look = async (): Promise<ApiObject | undefined> => {
      const answer = await this.#send('GET', `${collection}/${this.object}`);
      return answer?.status === 200 ? answer.json() : undefined;
    };
    return waitFor(`a read of ${this.object}`, look, { timeout: 60_000 });
  }

  #told(answer: Answer): ApiObject {
    const object = answer.json();
    this.versions.push(object.metadata.resourceVersion);
    return object;
  }

  #doubt(answer: Answer | undefined): void {
    if (answer !== undefined && answer.status < 500 && answer.status !== 429)
      this.errors.push(`${this.#options.name}: ${String(answer.status)} ${answer.text.slice(0, 300)}`);
  }

  #send(method: string, path: string, body?: object): Promise<Answer | undefined> {
    return this.#options.client.request(method, path, body).catch(() => undefined);
  }
}

export function countOf(object: ApiObject): number {
  return Number((object['data'] as Record<string, string> | undefined)?.['count'] ?? 0);
}

function idOf(object: ApiObject): string | undefined {
  return (object['data'] as Record<string, string> | undefined)?.['id'];
}

/** Errors in words: writes that are lost, or done twice, given what is stored at the end. */
export function judgeCounts(items: readonly ApiObject[], counters: readonly Counter[]): string[] {
  const errors = counters.flatMap((counter) => counter.errors);
  for (const object of new Set(counters.map((counter) => counter.object))) {
    const own = counters.filter((counter) => counter.object === object).map(({ increments }) => increments);
    const sure = own.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
    const most = own.reduce((sum, { unknown }) => sum + unknown, sure);
    const found = items.find(({ metadata }) => metadata.name === object);
    const count = found ? countOf(found) : -1;
    if (count < sure || count > most)
      errors.push(`${object} is ${String(count)}, not ${String(sure)} to ${String(most)}`);
  }
  return [...errors, ...judgeCreations(items, counters)];
}

function judgeCreations(items: readonly ApiObject[], counters: readonly Counter[]): string[] {
  const times = new Map<string, number>();
  for (const id of items.map(idOf)) if (id !== undefined) times.set(id, (times.get(id) ?? 0) + 1);
  const sure = counters.flatMap(({ created }) => [...created]);
  const perhaps = counters.flatMap(({ perhapsCreated }) => [...perhapsCreated]);
  const refused = counters.flatMap((counter) => [...counter.refused]);
  return [
    ...sure
      .filter((id) => times.get(id) !== 1)
      .map((id) => `${id}: made ${String(times.get(id) ?? 0)} times`),
    ...perhaps.filter((id) => (times.get(id) ?? 0) > 1).map((id) => `${id}: made twice`),
    ...refused.filter((id) => times.has(id)).map((id) => `${id}: made, though refused`),
  ];
}
