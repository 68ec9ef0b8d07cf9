/** A client that reads and writes a few objects through random replicas, and notes what it was told and when. */
import { randomInt } from 'node:crypto';

import type { Answer, ApiList, ApiObject } from '../../support/client.ts';
import type { ObjectOperation, Operation } from '../../support/linearizability.ts';
import type { HistoryRecorder, RecordingClient, Told } from './history-recorder.ts';

/** What all racers share. */
export class Race {
  readonly recorder: HistoryRecorder;
  readonly names: readonly string[];
  /** The operations on each object. */
  readonly histories: ReadonlyMap<string, Operation<ObjectOperation>[]>;
  /** Versions of lists, each with the time of its call and end. */
  readonly lists: { call: number; end: number; version: number }[] = [];
  readonly errors: string[] = [];
  operations = 0;
  unknown = 0;
  #values = 0;

  constructor(recorder: HistoryRecorder, names: readonly string[]) {
    this.recorder = recorder;
    this.names = names;
    this.histories = new Map(names.map((name) => [name, []]));
  }

  now(): number {
    return this.recorder.now();
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
  readonly #clients: readonly RecordingClient[];
  readonly #known = new Map<string, Known>();
  /** The version of the last list. */
  #listed = '';

  constructor(race: Race, clients: readonly RecordingClient[]) {
    this.#race = race;
    this.#clients = clients;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const name = pick(this.#race.names);
      const dice = randomInt(20);
      if (dice === 0) await (randomInt(2) === 0 ? this.#list() : this.#readOtherwise(name));
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
    this.#listed = list.metadata.resourceVersion;
    this.#race.lists.push({ call, end, version: Number(this.#listed) });
    const values = new Map(list.items.map((item) => [item.metadata.name, valueOf(item)]));
    for (const name of this.#race.names) {
      this.#race.note(name, { call, end, what: { kind: 'read', value: values.get(name) } });
    }
  }

  /** Reads that are not most recent, of a part, or in chunks: only the recorded history judges them. */
  async #readOtherwise(name: string): Promise<void> {
    const exact = `?resourceVersion=${this.#listed}&resourceVersionMatch=Exact`;
    const paths = [
      `/${name}?resourceVersion=0`,
      '?resourceVersion=0',
      '?labelSelector=color%3Dred',
      '?limit=3',
      ...(this.#listed === '' ? [] : [exact, `?resourceVersion=${this.#listed}`]),
    ];
    const path = pick(paths);
    // All chunks are of one replica here and there: another one knows the token, too.
    for (let token = ''; ;) {
      const { answer } = await this.#send('GET', token === '' ? path : `${path}&continue=${token}`);
      if (answer?.status !== 200 && answer?.status !== 404) this.#expectLater(answer);
      const list = answer?.status === 200 ? (answer.json() as unknown as ApiList) : undefined;
      token = encodeURIComponent(list?.metadata.continue ?? '');
      if (token === '') return;
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

  #send(method: string, path: string, body?: object): Promise<Told> {
    return pick(this.#clients).request(method, path, body);
  }
}

function pick<T>(from: readonly T[]): T {
  const found = from[randomInt(from.length)];
  if (found === undefined) throw new Error('nothing to choose from');
  return found;
}

export function valueOf(object: ApiObject): string {
  return (object['data'] as Record<string, string> | undefined)?.['value'] ?? '';
}

function bodyOf(name: string, value: string, resourceVersion?: string): object {
  const labels = { color: Number(value) % 2 === 0 ? 'red' : 'blue' };
  const metadata = { name, labels, ...(resourceVersion !== undefined && { resourceVersion }) };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { value } };
}
