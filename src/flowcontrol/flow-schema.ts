/** A flow schema in force: which requests are its, which level they belong to, and which of them are one flow. */
import type { PolicyRulesWithSubjects, Subject } from '../api/flowcontrol/v1beta1.types.ts';
import type { RequestInfo } from '../meta/request-info.ts';
import type { UserInfo } from '../meta/user.ts';
import type { FlowSchemaMetrics, RejectReason, RequestType } from './flow-schema-metrics.ts';
import type { KindLoad, RequestKind } from './kind-load.ts';
import type { SchemaSource } from './flow-objects.ts';
import type { PriorityLevel } from './priority-level.ts';
import { listOf, pathTest, resourceTest, type RequestTest } from './request-rules.ts';
import { Seat } from './seat.ts';
import { flowHash } from './shuffle-shard.ts';
import { matchesSubject, type SubjectUser } from './match-subjects.ts';
import type { WorkEstimate } from './work-estimate.ts';

export interface FlowParts {
  readonly schema: SchemaSource;
  readonly level: PriorityLevel;
  /** Made at its first request: most schemas have none. */
  readonly schemaMetrics: () => FlowSchemaMetrics;
  readonly loads: Readonly<Record<RequestKind, KindLoad>>;
  /** Names and values in turn that its answers carry. */
  readonly headers: readonly string[];
  readonly seed: string;
}

/** The rules of a schema that are about one user. */
export interface SubjectRules {
  readonly flow: Flow;
  readonly resources: readonly RequestTest[];
  readonly paths: readonly RequestTest[];
}

export class Flow {
  readonly level: PriorityLevel;
  readonly headers: readonly string[];
  private readonly parts: FlowParts;
  private readonly rules: readonly CompiledRule[];
  private schemaMetrics: FlowSchemaMetrics | undefined;
  /** All of its rules, which users share that they are about. */
  private everyRule: SubjectRules | undefined;

  private constructor(parts: FlowParts, rules: readonly CompiledRule[]) {
    this.parts = parts;
    this.level = parts.level;
    this.headers = parts.headers;
    this.rules = rules;
  }

  /** A rule in each step: a megabyte has ten thousand, which take some 20 ms. */
  static *compile(parts: FlowParts): Generator<void, Flow, void> {
    const rules: CompiledRule[] = [];
    for (const rule of listOf(parts.schema.spec.rules)) {
      yield;
      rules.push(compileRule(rule));
    }
    return new Flow(parts, rules);
  }

  get name(): string {
    return this.parts.schema.name;
  }

  /** Whom its rules are about. */
  subjects(): Subject[] {
    return this.rules.flatMap(({ subjects }) => subjects);
  }

  /** What of its rules is about a user; undefined: nothing. */
  rulesFor(user: SubjectUser): SubjectRules | undefined {
    const own = this.rules.filter(({ subjects }) => matchesSubject(subjects, user));
    if (own.length === 0) return undefined;
    if (own.length < this.rules.length) return this.rulesOf(own);
    return (this.everyRule ??= this.rulesOf(own));
  }

  private rulesOf(rules: readonly CompiledRule[]): SubjectRules {
    return {
      flow: this,
      resources: rules.flatMap(({ resources }) => resources),
      paths: rules.flatMap(({ paths }) => paths),
    };
  }

  /** The place of a new request, which `level` gives seats. @param work absent: one seat */
  seat(kind: RequestKind, work?: WorkEstimate, type: RequestType = 'regular'): Seat {
    const seat = new Seat(this.metrics, this.parts.loads[kind], { work, type });
    this.metrics.seats?.estimated.observe(seat.width);
    return seat;
  }

  get mostSeats(): number | undefined {
    return this.level.mostPerRequest;
  }

  /** A write of this flow concerns so many watches. */
  noteWatches(count: number): void {
    this.metrics.seats?.watches.observe(count);
  }

  private get metrics(): FlowSchemaMetrics {
    return (this.schemaMetrics ??= this.parts.schemaMetrics());
  }

  /** Waits for a seat of the level: undefined when it is there, otherwise why there is none. */
  wait(
    seat: Seat,
    request: { user: UserInfo; info: RequestInfo },
    maxMs: number,
  ): Promise<RejectReason | undefined> {
    const distinguisher = this.distinguisher(request);
    const flow = (): bigint => flowHash(this.parts.seed, this.name, distinguisher);
    seat.claim = { ...request, schema: this.name, distinguisher };
    return this.level.wait({ seat, flow, maxMs });
  }

  private distinguisher({ user, info }: { user: UserInfo; info: RequestInfo }): string {
    const type = this.parts.schema.spec.distinguisherMethod?.type;
    if (type === 'ByUser') return user.name;
    return type === 'ByNamespace' ? info.namespace : '';
  }
}

interface CompiledRule {
  readonly subjects: readonly Subject[];
  readonly resources: readonly RequestTest[];
  readonly paths: readonly RequestTest[];
}

function compileRule({ subjects, resourceRules, nonResourceRules }: PolicyRulesWithSubjects): CompiledRule {
  return {
    subjects: subjects ?? [],
    resources: listOf(resourceRules).map(resourceTest),
    paths: listOf(nonResourceRules).map(pathTest),
  };
}
