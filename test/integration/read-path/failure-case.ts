/**
 * A failure between a replica and etcd, while another replica writes: watches of both are compared, those of the
 * affected one must go on exactly or end with 410.
 */
import type { Replica } from '../../support/replica.ts';
import { configMaps, stateOf, untilReady, versionOf } from '../../support/read-path.ts';
import { Scribe, WatchLog } from './watch-log.ts';

/** What watches select: all, what enters and leaves a selection by its labels, all but one. */
const queries = ['', 'labelSelector=part%3Done', 'fieldSelector=metadata.name!%3Db'];
const perPhase = 40;

interface Replicas {
  /** Without a failure. */
  readonly near: Replica;
  /** The one whose way to etcd breaks. */
  readonly far: Replica;
}

/** One failure from its beginning to its end: what is written, and who watches it where. */
export class FailureCase {
  readonly from: string;
  readonly scribe: Scribe;
  readonly #replicas: Replicas;
  readonly #far: WatchLog[] = [];
  readonly #near: WatchLog[] = [];

  private constructor(replicas: Replicas, from: string) {
    this.#replicas = replicas;
    this.from = from;
    this.scribe = new Scribe(replicas.near);
  }

  static async begin(replicas: Replicas): Promise<FailureCase> {
    const { near, far } = replicas;
    await untilReady(far);
    const { resourceVersion } = (await near.admin.list(configMaps)).metadata;
    const one = new FailureCase(replicas, resourceVersion);
    for (const query of queries) {
      one.#near.push(await WatchLog.open(near, resourceVersion, query));
      one.#far.push(await WatchLog.open(far, resourceVersion, query));
    }
    await one.write();
    return one;
  }

  get farWatches(): readonly WatchLog[] {
    return this.#far;
  }

  /** After the failure: all watches have told the same, from the first write to the last, each once. */
  async expectExact(): Promise<void> {
    const end = await this.finish();
    for (const [index, query] of queries.entries()) {
      const [near, far] = [this.#near[index], this.#far[index]];
      await Promise.all([near?.until(end), far?.until(end)]);
      expect([query, far?.ended, far?.lines()]).toEqual([query, undefined, near?.lines()]);
    }
    this.expectAllTold(this.#near[0]);
    await this.expectLateExact(end);
    this.close();
  }

  /** Each watch that the failure ended was told so, and until then nothing was left out. */
  async expectEndedExact(): Promise<void> {
    const end = await this.finish();
    for (const [index, query] of queries.entries()) {
      const [near, far] = [this.#near[index], this.#far[index]];
      await near?.until(end);
      const told = far?.lines() ?? [];
      expect([query, far?.ended, told]).toEqual([query, 410, near?.lines().slice(0, told.length)]);
    }
    this.expectAllTold(this.#near[0]);
    this.close();
  }

  /** Some writes, through the replica that has no failure. */
  write(): Promise<void> {
    return this.scribe.write(perPhase);
  }

  /** The affected replica is ready again and lists what the other does. */
  async expectViewRecovers(): Promise<void> {
    const { near, far } = this.#replicas;
    await untilReady(far);
    const [expected, recovered] = [await near.admin.list(configMaps), await far.admin.list(configMaps)];
    expect(stateOf(recovered)).toEqual(stateOf(expected));
    expect(versionOf(recovered)).toBeGreaterThanOrEqual(versionOf(expected));
  }

  private async finish(): Promise<string> {
    await this.write();
    return this.scribe.finish();
  }

  /** A replica tells, to a watch that only now begins where the others began, all that they were told. */
  private async expectLateExact(end: string): Promise<void> {
    for (const [index, query] of queries.entries()) {
      const late = await WatchLog.open(this.#replicas.far, this.from, query);
      await late.until(end);
      expect([query, late.lines()]).toEqual([query, this.#near[index]?.lines()]);
      late.close();
    }
  }

  private expectAllTold(log: WatchLog | undefined): void {
    const told = new Set(log?.events.map(({ object }) => object.metadata.resourceVersion));
    expect(this.scribe.acknowledged.filter((version) => !told.has(version))).toEqual([]);
    expect(told.size).toBe(log?.events.length);
  }

  private close(): void {
    for (const log of [...this.#near, ...this.#far]) log.close();
  }
}
