/** Decides what is told of requests and gives events to the sinks. */
import type { AuditMetrics } from '../observe/audit-metrics.ts';
import type { AuditPolicy } from './policy.ts';
import type { AuditAttributes, AuditDecision, AuditLine, AuditSink } from './types.ts';

export interface AuditorParts {
  readonly policy: AuditPolicy;
  readonly sinks: readonly AuditSink[];
  readonly metrics: AuditMetrics;
  /** Names of sinks without which no request is served (mode `blocking-strict`). */
  readonly strict: ReadonlySet<string>;
}

export class Auditor {
  private readonly parts: AuditorParts;

  constructor(parts: AuditorParts) {
    this.parts = parts;
  }

  decide(attributes: AuditAttributes): AuditDecision {
    const decision = this.parts.policy(attributes);
    this.parts.metrics.levels.cell({ level: decision.level }).add();
    return decision;
  }

  /**
   * Gives an event to all sinks. A promise where a sink wants to be waited for; resolves with false when one of the
   * strict could not keep it.
   */
  tell(line: AuditLine): true | Promise<boolean> {
    this.parts.metrics.events.cell().add();
    const pending: Promise<boolean>[] = [];
    for (const sink of this.parts.sinks) {
      const kept = sink.take(line);
      if (!kept) continue;
      const isOptional = !this.parts.strict.has(sink.name);
      pending.push(
        kept.then(
          () => true,
          () => isOptional,
        ),
      );
    }
    return pending.length === 0 || Promise.all(pending).then((all) => all.every(Boolean));
  }

  noteRejection(): void {
    this.parts.metrics.rejectedRequests.cell().add();
  }

  /** Resolves when every sink has written what it took. */
  async close(): Promise<void> {
    await Promise.all(this.parts.sinks.map((sink) => sink.close()));
  }
}
