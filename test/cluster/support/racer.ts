/** A client that reads and writes a few objects through random replicas, and notes what it was told and when. */
import { randomInt } from 'node:crypto';

import type { Answer, ApiClient, ApiList, ApiObject } from '../../support/client.ts';
import type { ObjectOperation, Operation } from '../../support/linearizability.ts';

/** What all racers share. */
export class Race {
  readonly collection: string;
  readonly names: readonly string[];
  /** The operations on each object. */
  readonly histories: ReadonlyMap<string, Operation<ObjectOperation>[]>;
  /** Versions of lists, each with the time of its call and end. */
  readonly lists: { call: number; end: number; version: number }[] = [];
  readonly errors: string[] = [];
  operations = 0;
  unknown = 0;
  #clock = 0;
  #values = 0;

  constructor(collection: string, names: readonly string[]) {
    this.collection = collection;
    this.names = names;
    this.histories = new Map(names.map((name) => [name, []]));
  }

  now(): number {
    return (this.#clock += 1);
  }

  newValue(): string {
    return String((this.#values += 1));
  }

  note(name: string, operation: Operation<ObjectOperation>): void {
    this.histories.get(name)?.push(operation);
  }
}

interface Known {
  readonly value: string;
  readonly resourceVersion: string;
}

export class Racer {
  readonly #race: Race;
  readonly #clients: readonly ApiClient[];
  readonly #known = new Map<string, Known>();

  constructor(race: Race, clients: readonly ApiClient[]) {
    this.#race = race;
    this.#clients = clients;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const name = pick(this.#race.names);
      const dice = randomInt(20);
      if (dice === 0) await this.#list();
      else if (dice < 10) await this.#read(name);
      else if (dice < 14) await this.#write(name);
      else if (dice < 17) await this.#swap(name);
      else if (dice < 19) await this.#create(name);
      else await this.#delete(name);
      this.#race.operations += 1;
    }
  }

  async #read(name: string): Promise<void> {
    const { call, end, answer } = await this.#send('GET', `/${name}`);
    if (answer?.status === 200) {
      const { value } = this.#learn(answer.json());
      this.#race.note(name, { call, end, what: { kind: 'read', value } });
    } else this.#absentOr(name, { call, end, answer });
  }

  async #list(): Promise<void> {
    const { call, end, answer } = await this.#send('GET', '');
    if (answer?.status !== 200) {
      this.#expectLater(answer);
      return;
    }
    const list = answer.json() as unknown as ApiList;
    this.#race.lists.push({ call, end, version: Number(list.metadata.resourceVersion) });
    const values = new Map(list.items.map((item) => [item.metadata.name, valueOf(item)]));
    for (const name of this.#race.names) {
      this.#race.note(name, { call, end, what: { kind: 'read', value: values.get(name) } });
    }
  }

  async #write(name: string): Promise<void> {
    const value = this.#race.newValue();
    const told = await this.#send('PUT', `/${name}`, bodyOf(name, value));
    this.#judgeWrite(name, told, { kind: 'write', value });
  }

  async #swap(name: string): Promise<void> {
    const known = this.#known.get(name);
    if (known === undefined) return this.#read(name);
    const { value: from, resourceVersion } = known;
    const value = this.#race.newValue();
    const told = await this.#send('PUT', `/${name}`, bodyOf(name, value, resourceVersion));
    const { call, end, answer } = told;
    if (answer?.status === 409) {
      this.#race.note(name, { call, end, what: { kind: 'swap', from, value, isDone: false } });
      this.#known.delete(name);
    } else this.#judgeWrite(name, told, { kind: 'swap', from, value, isDone: true });
  }

  async #create(name: string): Promise<void> {
    const value = this.#race.newValue();
    const told = await this.#send('POST', '', bodyOf(name, value));
    const { call, end, answer } = told;
    if (answer?.status === 409)
      this.#race.note(name, { call, end, what: { kind: 'create', value, isDone: false } });
    else this.#judgeWrite(name, told, { kind: 'create', value, isDone: true });
  }

  async #delete(name: string): Promise<void> {
    this.#judgeWrite(name, await this.#send('DELETE', `/${name}`), { kind: 'delete' });
  }

  #judgeWrite(name: string, told: Told, what: ObjectOperation): void {
    const { call, end, answer } = told;
    if (answer?.status === 200 || answer?.status === 201) {
      if (what.kind !== 'delete') this.#learn(answer.json());
      this.#race.note(name, { call, end, what });
    } else if (answer === undefined || answer.status >= 500) {
      this.#race.unknown += 1;
      this.#race.note(name, { call, end: undefined, what });
    } else this.#absentOr(name, told);
  }

  #absentOr(name: string, { call, end, answer }: Told): void {
    if (answer?.status === 404)
      this.#race.note(name, { call, end, what: { kind: 'read', value: undefined } });
    else this.#expectLater(answer);
  }

  #expectLater(answer: Answer | undefined): void {
    if (answer === undefined || answer.status >= 500) this.#race.unknown += 1;
    else this.#race.errors.push(`answered ${String(answer.status)}: ${answer.text.slice(0, 300)}`);
  }

  #learn(object: ApiObject): Known {
    const known = { value: valueOf(object), resourceVersion: object.metadata.resourceVersion };
    this.#known.set(object.metadata.name, known);
    return known;
  }

  async #send(method: string, path: string, body?: object): Promise<Told> {
    const call = this.#race.now();
    const sent = pick(this.#clients).request(method, this.#race.collection + path, body);
    const answer = await sent.catch(() => undefined);
    return { call, end: this.#race.now(), answer };
  }
}

interface Told {
  readonly call: number;
  readonly end: number;
  /** undefined: the connection broke. */
  readonly answer: Answer | undefined;
}

function pick<T>(from: readonly T[]): T {
  const found = from[randomInt(from.length)];
  if (found === undefined) throw new Error('nothing to choose from');
  return found;
}

function valueOf(object: ApiObject): string {
  return (object['data'] as Record<string, string> | undefined)?.['value'] ?? '';
}

function bodyOf(name: string, value: string, resourceVersion?: string): object {
  const metadata = { name, ...(resourceVersion !== undefined && { resourceVersion }) };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { value } };
}
