/** Watches that are read all the time, and writes of which each must be told to them exactly once. */
import type { EventStream, WatchEvent } from '../../support/client.ts';
import type { Replica } from '../../support/replica.ts';
import { waitFor } from '../../support/wait-for.ts';
import { configMap, configMaps, versionOf } from '../../support/read-path.ts';

/** What a watch told until now, and how it ended. */
export class WatchLog {
  readonly events: WatchEvent[] = [];
  /** The code of the ERROR event that ended it, 0 for an end without; undefined while it is open. */
  ended: number | undefined;
  readonly #stream: EventStream;

  private constructor(stream: EventStream) {
    this.#stream = stream;
  }

  /** Opens a watch of the config maps after a version; `query` narrows it. */
  static async open(replica: Pick<Replica, 'admin'>, from: string, query = ''): Promise<WatchLog> {
    const more = query === '' ? '' : `&${query}`;
    const log = new WatchLog(await replica.admin.watch(`${configMaps}?resourceVersion=${from}${more}`));
    void log.#read();
    return log;
  }

  /** `TYPE name version` of each event. */
  lines(): string[] {
    return this.events.map(
      ({ type, object }) => `${type} ${object.metadata.name} ${String(versionOf(object))}`,
    );
  }

  /** Waits until it told a change of this version, or ended. */
  async until(version: string): Promise<void> {
    const isThere = (): boolean =>
      this.ended !== undefined || this.events.at(-1)?.object.metadata.resourceVersion === version;
    await waitFor(`the watch to tell version ${version}`, isThere, {
      timeout: 40_000,
      details: () => this.lines().slice(-5).join('\n'),
    });
  }

  close(): void {
    this.#stream.close();
  }

  async #read(): Promise<void> {
    for await (const event of this.#stream) {
      if (event.type === 'ERROR') this.ended = Number(event.object['code']);
      else this.events.push(event);
    }
    this.ended ??= 0;
  }
}

const names = ['a', 'b', 'c', 'd', 'e'];

/** Creates, changes and removes a few config maps in turn, now in a selection and now out of it. */
export class Scribe {
  /** Versions of the writes that were acknowledged, removals left out: they tell no version of their own. */
  readonly acknowledged: string[] = [];
  #count = 0;
  readonly #replica: Replica;
  readonly #known = new Set<string>();

  constructor(replica: Replica) {
    this.#replica = replica;
  }

  /** Writes until so many are acknowledged; those that fail are nobody's matter. */
  async write(count: number): Promise<void> {
    await waitFor(
      `${String(count)} acknowledged writes`,
      async () => {
        if (await this.#writeOne()) count -= 1;
        return count === 0;
      },
      { interval: 1, timeout: 40_000 },
    );
  }

  /** A last write, which every watch and selection is to see. @returns its version */
  async finish(): Promise<string> {
    const labels = { part: 'one' };
    const last = { ...configMap('', 'last', { labels }), metadata: { generateName: 'last-', labels } };
    const made = await waitFor('the last write', () => this.#replica.admin.ok('POST', configMaps, last));
    return made.metadata.resourceVersion;
  }

  async #writeOne(): Promise<boolean> {
    this.#count += 1;
    const name = names[this.#count % names.length] ?? '';
    const isRemoval = this.#known.has(name) && this.#count % 7 === 0;
    const labels = { part: this.#count % 4 < 2 ? 'one' : 'other' };
    const body = configMap(name, String(this.#count), { labels });
    const { admin } = this.#replica;
    const path = `${configMaps}/${name}`;
    const answer = isRemoval
      ? await admin.delete(path)
      : await (this.#known.has(name) ? admin.put(path, body) : admin.post(configMaps, body));
    if (answer.status === 409 || answer.status === 404) this.#turn(name);
    if (answer.status >= 300) return false;
    if (isRemoval || !this.#known.has(name)) this.#turn(name);
    if (!isRemoval) this.acknowledged.push(answer.json().metadata.resourceVersion);
    return true;
  }

  /** What was there is gone, or the other way round. */
  #turn(name: string): void {
    if (!this.#known.delete(name)) this.#known.add(name);
  }
}
