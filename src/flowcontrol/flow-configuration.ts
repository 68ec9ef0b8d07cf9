/**
 * The flow schemas and priority levels in force. A change makes new flows for what changed; levels stay the same objects, so
 * that queued requests stay queued. A level that is gone keeps its seats until its last request is over. There may be
 * thousands of them: whatever looks at all goes in slices.
 */
import type { Clock } from '../base/clock.ts';
import type { Counts } from '../base/counts.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { atOnce, SlicedWork, type Steps } from '../base/sliced-work.ts';
import type { RequestInfo } from '../meta/request-info.ts';
import type { UserInfo } from '../meta/user.ts';
import type { BorrowingMetrics, FlowControlMetrics } from '../observe/flow-control-metrics.ts';
import { limitsOf } from './borrowing.ts';
import { Classifier, roomForUsers } from './classifier.ts';
import { SchemaIndex } from './schema-index.ts';
import { byPrecedence } from './schema-order.ts';
import type { DumpedLevel } from './debug-dump.ts';
import { Flow } from './flow-schema.ts';
import { FlowSchemaMetrics } from './flow-schema-metrics.ts';
import { KindLoad, type RequestKind } from './kind-load.ts';
import { LevelLoad } from './level-load.ts';
import { settingsOf, sharesOf, type LevelSource, type SchemaSource } from './flow-objects.ts';
import { PriorityLevel } from './priority-level.ts';
import { SeatLender } from './seat-lender.ts';

export interface FlowSources {
  readonly schemas: readonly SchemaSource[];
  readonly levels: readonly LevelSource[];
}

export interface ConfigurationParts {
  /** Seats of all levels together. */
  readonly serverSeats: number;
  /** What is in force where no stored object of the name can be: among it `catchAll` and its level. */
  readonly fallback: FlowSources;
  /** Name of the schema of requests that no schema matches. */
  readonly catchAll: string;
  /** Prefix of the response headers that name the flow schema and the priority level: `X-…-`. */
  readonly headerPrefix: string;
  /** Keeps outsiders from finding names that share queues. */
  readonly seed: string;
  readonly metrics: FlowControlMetrics;
  /** Absent: levels neither lend nor borrow seats (before release 1.26). */
  readonly borrowing?: BorrowingMetrics | undefined;
  /** Of all threads of the process that serve; absent: there is one. */
  readonly counts?: Counts | undefined;
  readonly clock: Pick<Clock, 'monotonic' | 'setTimeout' | 'clear'>;
}

interface KnownLevel {
  readonly level: PriorityLevel;
  readonly load: LevelLoad;
  source: LevelSource;
  isGone: boolean;
}

/** A flow, and what it was made of. */
interface KnownFlow {
  readonly flow: Flow;
  readonly schema: SchemaSource;
  readonly level: PriorityLevel;
  readonly levelUid: string;
}

/** To give a level its seats makes its series and notes the time since the last change: as long as so many other steps. */
const stepsOfLevel = 16;

export class FlowConfiguration {
  private readonly parts: ConfigurationParts;
  private readonly levels = new Map<string, KnownLevel>();
  private readonly loads: Readonly<Record<RequestKind, KindLoad>>;
  private schemaMetrics = new Map<string, FlowSchemaMetrics>();
  private readonly users = roomForUsers();
  private flows: ReadonlyMap<string, KnownFlow> = new Map();
  private classifier: Classifier;
  private readonly lending: SeatLender | undefined;
  /** Changes and divisions of seats, one after another. */
  private readonly work = new SlicedWork();
  private isBalanceDue = false;

  constructor(parts: ConfigurationParts) {
    this.parts = parts;
    this.lending = parts.borrowing && new SeatLender(parts.borrowing);
    const loadOf = (kind: RequestKind): KindLoad =>
      new KindLoad(parts.metrics, kind, parts.clock.monotonic());
    this.loads = { readOnly: loadOf('readOnly'), mutating: loadOf('mutating') };
    this.classifier = atOnce(this.change({ schemas: [], levels: [] }));
  }

  /** The flow that a request belongs to. */
  flowOf(user: UserInfo, info: RequestInfo): Flow {
    return this.classifier.flowOf(user, info);
  }

  /** The levels as they are now, by name. */
  dumpedLevels(): readonly DumpedLevel[] {
    const names = [...this.levels.keys()].sort();
    return names.flatMap((name) => {
      const known = this.levels.get(name);
      return known ? [{ ...known.level.snapshot(), isGone: known.isGone }] : [];
    });
  }

  /** Divides the seats again by what the levels needed since the last time; nothing without borrowing. */
  adjust(): MaybePromise<void> {
    const { lending } = this;
    if (lending)
      return this.work.run(() => lending.divide(this.presentLevels(), this.parts.clock.monotonic()));
  }

  /** Notes what levels need now, as other threads change that, too. */
  look(): MaybePromise<void> {
    return this.work.run(() => this.lookAtLevels());
  }

  private *lookAtLevels(): Steps {
    for (const level of this.presentLevels()) {
      yield;
      level.look(this.parts.clock.monotonic());
    }
  }

  /** True for a level that schemas may refer to. */
  hasLevel(name: string): boolean {
    return this.levels.get(name)?.isGone === false;
  }

  /**
   * These are to be in force, and of the fallback what they do not replace: when this returns or resolves. Until then the
   * former schemas are.
   */
  use(stored: FlowSources): MaybePromise<void> {
    return this.work.run(() => this.replace(stored));
  }

  private *replace(stored: FlowSources): Steps {
    this.classifier = yield* this.change(stored);
    yield* this.forgetSchemaMetrics();
  }

  private *change(stored: FlowSources): Generator<void, Classifier, void> {
    const { fallback, catchAll } = this.parts;
    yield* this.useLevels(yield* joined(stored.levels, fallback.levels));
    const inForce = stored.schemas.filter(({ spec }) => this.hasLevel(levelNameOf(spec)));
    const schemas = yield* byPrecedence(yield* joined(inForce, fallback.schemas));
    const flows = new Map<string, KnownFlow>();
    const index = new SchemaIndex();
    for (const schema of schemas) {
      yield;
      const known = yield* this.flowFor(schema);
      if (!known) continue;
      flows.set(schema.name, known);
      yield* index.add(known.flow);
    }
    const last = flows.get(catchAll)?.flow;
    if (!last) throw new Error(`no flow schema ${catchAll}`);
    this.flows = flows;
    return new Classifier(index, last, this.users);
  }

  private presentLevels(): PriorityLevel[] {
    return [...this.levels.values()].filter(({ isGone }) => !isGone).map(({ level }) => level);
  }

  private *useLevels(sources: readonly LevelSource[]): Steps {
    const names = new Set<string>();
    for (const source of sources) {
      yield;
      names.add(source.name);
      const known = this.levels.get(source.name);
      if (known) Object.assign(known, { source, isGone: false });
      else this.levels.set(source.name, { ...this.newLevel(source.name), source, isGone: false });
    }
    for (const [name, known] of this.levels) {
      yield;
      known.isGone = !names.has(name);
    }
    yield* this.balance();
  }

  private newLevel(name: string): Pick<KnownLevel, 'level' | 'load'> {
    const onIdle = (): void => {
      if (!this.hasLevel(name)) this.balanceSoon();
    };
    const { clock, metrics, counts } = this.parts;
    const load = new LevelLoad(metrics, name, clock.monotonic());
    return { load, level: new PriorityLevel(name, { clock, load, counts, onIdle }) };
  }

  /** Once for all levels that become idle meanwhile. */
  private balanceSoon(): void {
    if (this.isBalanceDue) return;
    this.isBalanceDue = true;
    void this.work.run(() => this.balance());
  }

  /** Gives each level its part of the seats; those that are gone and empty have none any more. */
  private *balance(): Steps {
    this.isBalanceDue = false;
    const { serverSeats } = this.parts;
    let shares = 0;
    for (const [name, known] of this.levels) {
      yield;
      if (known.isGone && known.level.isIdle) this.forgetLevel(name, known);
      else shares += this.countedShares(known.source);
    }
    for (const [name, known] of this.levels) {
      for (let step = 0; step < stepsOfLevel; step += 1) yield;
      this.giveSeats(name, known, { seats: serverSeats, shares });
    }
  }

  private forgetLevel(name: string, { load }: KnownLevel): void {
    this.levels.delete(name);
    load.forget();
    this.lending?.forget(name);
    this.parts.metrics.concurrencyLimit.forget({ priority_level: name });
  }

  private countedShares(source: LevelSource): number {
    return source.spec.type === 'Exempt' && !this.lending ? 0 : sharesOf(source);
  }

  /** @param server its seats, and the shares of all levels */
  private giveSeats(
    name: string,
    { level, source }: KnownLevel,
    server: { readonly seats: number; readonly shares: number },
  ): void {
    const settings = settingsOf(source, server.seats, server.shares);
    const lent = this.lending?.admit(name, limitsOf(source, server)) ?? settings.seats;
    level.configure(settings.seats === Infinity ? settings : { ...settings, seats: lent }, settings.seats);
    if (!level.isExempt)
      this.parts.metrics.concurrencyLimit.series({ priority_level: name }).set(settings.seats);
  }

  /** A schema in force; undefined: its level is missing. */
  private *flowFor(schema: SchemaSource): Generator<void, KnownFlow | undefined, void> {
    const name = levelNameOf(schema.spec);
    const known = this.levels.get(name);
    if (!known || known.isGone) return undefined;
    const { level, source } = known;
    const former = this.flows.get(schema.name);
    if (former?.schema === schema && former.level === level && former.levelUid === source.uid) return former;
    const flow = yield* Flow.compile({
      ...{ schema, level, seed: this.parts.seed, loads: this.loads },
      schemaMetrics: () => this.schemaMetricsOf(schema.name, name),
      headers: this.headersOf(schema, source),
    });
    return { flow, schema, level, levelUid: source.uid };
  }

  private headersOf(schema: SchemaSource, level: LevelSource): string[] {
    const header = (name: string, uid: string): string[] =>
      uid === '' ? [] : [`${this.parts.headerPrefix}PF-${name}-UID`, uid];
    return [...header('FlowSchema', schema.uid), ...header('PriorityLevel', level.uid)];
  }

  private schemaMetricsOf(schema: string, level: string): FlowSchemaMetrics {
    const key = `${schema} ${level}`;
    const schemaMetrics =
      this.schemaMetrics.get(key) ?? new FlowSchemaMetrics(this.parts.metrics, schema, level);
    this.schemaMetrics.set(key, schemaMetrics);
    return schemaMetrics;
  }

  /** Forgets the figures of schemas that are not in force, or in another level. */
  private *forgetSchemaMetrics(): Steps {
    for (const [key, schemaMetrics] of this.schemaMetrics) {
      yield;
      const { schema, level } = schemaMetrics;
      if (this.flows.get(schema)?.level.name === level) continue;
      schemaMetrics.forget();
      this.schemaMetrics.delete(key);
    }
  }
}

function levelNameOf({ priorityLevelConfiguration }: SchemaSource['spec']): string {
  return priorityLevelConfiguration?.name ?? '';
}

/** Stored objects, and those of the fallback whose names are free. */
function* joined<T extends { readonly name: string }>(
  stored: readonly T[],
  fallback: readonly T[],
): Generator<void, T[], void> {
  const names = new Set<string>();
  for (const { name } of stored) {
    names.add(name);
    yield;
  }
  return [...stored, ...fallback.filter(({ name }) => !names.has(name))];
}
