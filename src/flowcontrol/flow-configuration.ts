/**
 * The flow schemas and priority levels in force. A change makes new flows; levels stay the same objects, so that queued
 * requests stay queued. A level that is gone keeps its seats until its last request is over.
 */
import type { Clock } from '../base/clock.ts';
import type { RequestInfo } from '../meta/request-info.ts';
import type { UserInfo } from '../meta/user.ts';
import type { BorrowingMetrics, FlowControlMetrics } from '../observe/flow-control-metrics.ts';
import { limitsOf } from './borrowing.ts';
import { Classifier, roomForUsers } from './classifier.ts';
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
  /** What is in force where no stored object has the name; among it `catchAll` and its level. */
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
  readonly clock: Pick<Clock, 'monotonic' | 'setTimeout' | 'clear'>;
}

interface KnownLevel {
  readonly level: PriorityLevel;
  readonly load: LevelLoad;
  source: LevelSource;
  isGone: boolean;
}

export class FlowConfiguration {
  private readonly parts: ConfigurationParts;
  private readonly levels = new Map<string, KnownLevel>();
  private readonly loads: Readonly<Record<RequestKind, KindLoad>>;
  private schemaMetrics = new Map<string, FlowSchemaMetrics>();
  private readonly users = roomForUsers();
  private classifier: Classifier;
  private readonly lending: SeatLender | undefined;

  constructor(parts: ConfigurationParts) {
    this.parts = parts;
    this.lending = parts.borrowing && new SeatLender(parts.borrowing);
    const loadOf = (kind: RequestKind): KindLoad =>
      new KindLoad(parts.metrics, kind, parts.clock.monotonic());
    this.loads = { readOnly: loadOf('readOnly'), mutating: loadOf('mutating') };
    this.classifier = this.use({ schemas: [], levels: [] });
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
  adjust(): void {
    const levels = [...this.levels.values()].filter(({ isGone }) => !isGone);
    this.lending?.divide(
      levels.map(({ level }) => level),
      this.parts.clock.monotonic(),
    );
  }

  /** True for a level that schemas may refer to. */
  hasLevel(name: string): boolean {
    return this.levels.get(name)?.isGone === false;
  }

  /** From now on these are in force, and of the fallback what they do not replace. */
  use(stored: FlowSources): Classifier {
    const { fallback, catchAll } = this.parts;
    this.useLevels(joined(stored.levels, fallback.levels));
    const schemas = joined(stored.schemas, fallback.schemas).sort(byPrecedence);
    const flows = schemas.flatMap((schema) => this.flowFor(schema) ?? []);
    this.forgetSchemaMetrics(flows);
    const last = flows.find(({ name }) => name === catchAll);
    if (!last) throw new Error(`no flow schema ${catchAll}`);
    this.classifier = new Classifier(flows, last, this.users);
    return this.classifier;
  }

  private useLevels(sources: readonly LevelSource[]): void {
    for (const known of this.levels.values()) known.isGone = true;
    for (const source of sources) {
      const known = this.levels.get(source.name);
      if (known) Object.assign(known, { source, isGone: false });
      else this.levels.set(source.name, { ...this.newLevel(source.name), source, isGone: false });
    }
    this.balance();
  }

  private newLevel(name: string): Pick<KnownLevel, 'level' | 'load'> {
    const onIdle = (): void => {
      if (!this.hasLevel(name)) this.balance();
    };
    const { clock, metrics } = this.parts;
    const load = new LevelLoad(metrics, name, clock.monotonic());
    return { load, level: new PriorityLevel(name, { clock, load, onIdle }) };
  }

  /** Gives each level its part of the seats; those that are gone and empty have none any more. */
  private balance(): void {
    const { serverSeats, metrics } = this.parts;
    for (const [name, { level, load, isGone }] of this.levels) {
      if (!isGone || !level.isIdle) continue;
      this.levels.delete(name);
      load.forget();
      this.lending?.forget(name);
      metrics.concurrencyLimit.forget({ priority_level: name });
    }
    const counted = (source: LevelSource): number =>
      source.spec.type === 'Exempt' && !this.lending ? 0 : sharesOf(source);
    const total = [...this.levels.values()].reduce((sum, { source }) => sum + counted(source), 0);
    for (const [name, { level, source }] of this.levels) {
      const settings = settingsOf(source, serverSeats, total);
      const limits = limitsOf(source, { seats: serverSeats, shares: total });
      const lent = this.lending?.admit(name, limits) ?? settings.seats;
      level.configure(settings.seats === Infinity ? settings : { ...settings, seats: lent });
      if (!level.isExempt) metrics.concurrencyLimit.series({ priority_level: name }).set(settings.seats);
    }
  }

  /** A schema in force; undefined: its level is missing. */
  private flowFor(schema: SchemaSource): Flow | undefined {
    const name = schema.spec.priorityLevelConfiguration?.name ?? '';
    const known = this.levels.get(name);
    if (!known || known.isGone) return undefined;
    const { level, source } = known;
    return new Flow({
      ...{ schema, level, seed: this.parts.seed, loads: this.loads },
      schemaMetrics: () => this.schemaMetricsOf(schema.name, name),
      headers: this.headersOf(schema, source),
    });
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

  private forgetSchemaMetrics(flows: readonly Flow[]): void {
    const current = new Set(flows.map(({ name, level }) => `${name} ${level.name}`));
    for (const [key, schemaMetrics] of this.schemaMetrics) {
      if (current.has(key)) continue;
      schemaMetrics.forget();
      this.schemaMetrics.delete(key);
    }
  }
}

/** Stored objects, and those of the fallback whose names are free. */
function joined<T extends { readonly name: string }>(stored: readonly T[], fallback: readonly T[]): T[] {
  const names = new Set(stored.map(({ name }) => name));
  return [...stored, ...fallback.filter(({ name }) => !names.has(name))];
}

function byPrecedence(a: SchemaSource, b: SchemaSource): number {
  const byRank = (a.spec.matchingPrecedence ?? 0) - (b.spec.matchingPrecedence ?? 0);
  if (byRank !== 0) return byRank;
  return a.name < b.name ? -1 : 1;
}
