/** Writers that create, update and delete through every replica, and check each answer against what they know. */
import { randomInt } from 'node:crypto';

import type { Answer, ApiClient, ApiObject } from '../../support/client.ts';
import { waitFor } from '../../support/wait-for.ts';
import { RecordingClient, type HistoryRecorder } from './history-recorder.ts';
import type { Ledger } from './ledger.ts';

export interface LoadTargets {
  /** Replicas that are meant to be up, by the name of this life of theirs; may change while the load runs. */
  readonly replicas: () => readonly { readonly api: ApiClient; readonly replica: string }[];
  readonly recorder: HistoryRecorder;
  readonly ledger: Ledger;
}

interface Known {
  readonly object: ApiObject;
  readonly sequence: number;
}

/** One writer with objects of its own; operations go to random replicas, one after the other. */
export class Writer {
  readonly #name: string;
  readonly #targets: LoadTargets;
  readonly #objects = new Map<string, Known>();
  #count = 0;
  #values = 0;

  constructor(name: string, targets: LoadTargets) {
    this.#name = name;
    this.#targets = targets;
  }

  /** Works until the signal; never throws for what a failure of the cluster may cause. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const names = [...this.#objects.keys()];
      const name = names[randomInt(names.length + 1)];
      if (name === undefined || names.length < 3) await this.#create();
      else if (names.length > 10 && randomInt(4) === 0) await this.#delete(name);
      else await this.#update(name);
    }
  }

  async #create(): Promise<void> {
    this.#count += 1;
    const name = `${this.#name}-${this.#count}`;
    const answer = await this.#send('POST', '', this.#bodyOf(name, 1));
    if (answer?.status === 201) await this.#told(answer, name, 1);
    else await this.#untold(answer, name);
  }

  async #update(name: string): Promise<void> {
    const known = this.#objects.get(name);
    if (known === undefined) return;
    const sequence = known.sequence + 1;
    const { labels, data } = this.#contentOf(sequence);
    const body = { ...known.object, metadata: { ...known.object.metadata, labels }, data };
    const answer = await this.#send('PUT', `/${name}`, body);
    if (answer?.status === 200) await this.#told(answer, name, sequence);
    else await this.#untold(answer, name);
  }

  async #delete(name: string): Promise<void> {
    const answer = await this.#send('DELETE', `/${name}`);
    this.#objects.delete(name);
    if (answer?.status === 200) this.#targets.ledger.acknowledgeDeletion(name);
    else this.#doubt(answer, name);
  }

  async #told(answer: Answer, name: string, sequence: number): Promise<void> {
    const object = answer.json();
    const { resourceVersion } = object.metadata;
    this.#objects.set(name, { object, sequence });
    this.#targets.ledger.acknowledge({ name, sequence, resourceVersion });
    if (randomInt(4) === 0) await this.#checkFreshRead(name, sequence);
  }

  /** A write acknowledged by one replica must be what any other reads next. */
  async #checkFreshRead(name: string, sequence: number): Promise<void> {
    const answer = await this.#send('GET', `/${name}`);
    if (answer === undefined || answer.status >= 500) return;
    const read = answer.status === 200 ? sequenceOf(answer.json()) : -1;
    if (read !== sequence) {
      this.#targets.ledger.errors.push(
        `${name}: read ${answer.status} with ${read} after ${sequence} was acknowledged`,
      );
    }
  }

  /** No acknowledgement: learn from a read what came of it. */
  async #untold(answer: Answer | undefined, name: string): Promise<void> {
    this.#doubt(answer, name);
    const read = await waitFor(`a replica that reads ${name}`, async () => {
      const reply = await this.#send('GET', `/${name}`);
      return reply !== undefined && reply.status < 500 && reply;
    });
    if (read.status === 200)
      this.#objects.set(name, { object: read.json(), sequence: sequenceOf(read.json()) });
    else this.#objects.delete(name);
  }

  /** A refusal other than "try again later" is a broken promise, unless an earlier operation hangs in the air. */
  #doubt(answer: Answer | undefined, name: string): void {
    const { ledger } = this.#targets;
    const isRefusal = answer !== undefined && answer.status < 500 && answer.status !== 429;
    if (isRefusal && !ledger.uncertain.has(name)) {
      ledger.errors.push(`${name}: refused with ${answer.status}: ${answer.text.slice(0, 300)}`);
    }
    ledger.uncertain.add(name);
  }

  async #send(method: string, path: string, body?: object): Promise<Answer | undefined> {
    const { replicas, recorder } = this.#targets;
    const all = replicas();
    const one = all[randomInt(all.length)];
    if (one === undefined) return undefined;
    const who = { client: this.#name, replica: one.replica };
    return (await new RecordingClient(recorder, who, one.api).request(method, path, body)).answer;
  }

  #bodyOf(name: string, sequence: number): object {
    const { labels, data } = this.#contentOf(sequence);
    return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels }, data };
  }

  /** The sequence may be tried again after an unknown outcome; the value is another one each time. */
  #contentOf(sequence: number): { readonly labels: object; readonly data: Record<string, string> } {
    this.#values += 1;
    const value = `${this.#name}/${String(this.#values)}`;
    return {
      labels: { color: randomInt(2) === 0 ? 'red' : 'blue' },
      data: { sequence: String(sequence), value },
    };
  }
}

/** What tells the written state of an object from all others. */
export function valueOf(object: ApiObject): string {
  return (object['data'] as Record<string, string> | undefined)?.['value'] ?? '';
}

/** Which write of its writer this state of the object is. */
export function sequenceOf(object: ApiObject): number {
  return Number((object['data'] as Record<string, string> | undefined)?.['sequence']);
}
