/** The webhooks of all configurations of a kind, by the resources that their rules name. */
import { Slice } from '../../base/cooperate.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { resultOf } from '../../base/sliced-work.ts';
import type { CollectionSnapshot, Entry } from '../../storage/types.ts';
import { misshapenProblem, unreadableProblem } from '../unreadable-problem.ts';
import { resourceWords } from './resource-words.ts';
import { hooksIn, type AdmissionWebhook } from './webhook-configuration.ts';

const all = '*';

/** A webhook, and its place among those of all configurations. */
export interface PlacedWebhook {
  readonly hook: AdmissionWebhook;
  readonly place: number;
}

/** The webhooks of one state of the configurations. */
class WebhooksByResource {
  private readonly named = new Map<string, PlacedWebhook[]>();
  /** By resource, with those for all resources, in their order. */
  private readonly merged = new Map<string, readonly PlacedWebhook[]>();

  /** In steps: its rules may name a hundred thousand resources. */
  *add(placed: PlacedWebhook): Generator<void, void, void> {
    for (const plural of yield* resourceWords(placed.hook.rules)) {
      const list = this.named.get(plural);
      if (list) list.push(placed);
      else this.named.set(plural, [placed]);
      yield;
    }
  }

  about(plural: string): readonly PlacedWebhook[] {
    const own = this.named.get(plural);
    const others = this.named.get(all) ?? [];
    // Requests may name as many resources as there are definitions: only those are kept that have a list of their own.
    if (!own) return others;
    const known = this.merged.get(plural);
    if (known) return known;
    const both = [...new Set([...own, ...others])].sort((a, b) => a.place - b.place);
    this.merged.set(plural, both);
    return both;
  }
}

/** Read in slices after a change of a configuration, and then kept until the next one. */
export class WebhookIndex {
  private readonly view: () => CollectionSnapshot;
  private contents: object | undefined;
  private reading: Promise<WebhooksByResource> | undefined;
  private read: WebhooksByResource | undefined;

  /** @param view the current state of the configurations */
  constructor(view: () => CollectionSnapshot) {
    this.view = view;
  }

  /**
   * Webhooks some rule of which names the resource, in whatever group and version, by configuration as they stand in it.
   * @throws StatusError while a configuration cannot be read
   */
  about(plural: string): MaybePromise<readonly PlacedWebhook[]> {
    const problem = unreadableProblem(this.view());
    if (problem) throw problem;
    const state = this.current();
    if (state === undefined) return [];
    return state instanceof Promise ? state.then((read) => read.about(plural)) : state.about(plural);
  }

  /** Whether there may be some: true as well where a change has not been read yet. */
  mayBeAbout(plural: string): boolean {
    const state = this.current();
    if (state === undefined) return false;
    return state instanceof Promise || state.about(plural).length > 0;
  }

  /** undefined: there is no configuration. */
  private current(): MaybePromise<WebhooksByResource> | undefined {
    const snapshot = this.view();
    if (snapshot.size === 0) return undefined;
    const { contents } = snapshot;
    if (this.contents === contents && this.reading) return this.read ?? this.reading;
    return this.begin(snapshot, contents);
  }

  private begin(snapshot: CollectionSnapshot, contents: object): Promise<WebhooksByResource> {
    const reading = readAll(snapshot);
    Object.assign(this, { contents, reading, read: undefined });
    reading.then(
      (read) => {
        if (this.reading === reading) this.read = read;
      },
      () => {
        if (this.reading === reading) this.reading = undefined;
      },
    );
    return reading;
  }
}

async function readAll(snapshot: CollectionSnapshot): Promise<WebhooksByResource> {
  const byResource = new WebhooksByResource();
  const slice = new Slice();
  let place = 0;
  for (const entry of snapshot.entries('', '')) {
    for (const hook of await readOne(entry, slice))
      await resultOf(byResource.add({ hook, place: place++ }), () => slice.breathe());
    await slice.breathe();
  }
  return byResource;
}

/** @throws StatusError */
async function readOne(entry: Entry, slice: Slice): Promise<readonly AdmissionWebhook[]> {
  try {
    return await hooksIn(entry, slice);
  } catch (error) {
    throw misshapenProblem(entry, error);
  }
}
