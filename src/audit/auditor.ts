/** Applies the audit policy to requests and sends their events to the audit backends. */
import type { AuditMetrics } from '../observe/audit-metrics.ts';
import type { AuditPolicy } from './audit-policy.ts';
import type { AuditAttributes, AuditDecision, AuditLine, AuditBackend } from './types.ts';

export interface AuditorParts {
  readonly policy: AuditPolicy;
  readonly backends: readonly AuditBackend[];
  readonly metrics: AuditMetrics;
  /** Names of backends in mode `blocking-strict`: a request fails when one of them cannot record it. */
  readonly strict: ReadonlySet<string>;
}

export class Auditor {
  private readonly parts: AuditorParts;

  constructor(parts: AuditorParts) {
    this.parts = parts;
  }

  decide(attributes: AuditAttributes): AuditDecision {
    const decision = this.parts.policy(attributes);
    this.parts.metrics.levels.series({ level: decision.level }).add();
    return decision;
  }

  /**
   * Sends an event to all backends. Returns a promise where a blocking backend is configured; it resolves with false
   * when a `blocking-strict` backend could not record the event.
   */
  record(line: AuditLine): true | Promise<boolean> {
    this.parts.metrics.events.series().add();
    const pending: Promise<boolean>[] = [];
    for (const backend of this.parts.backends) {
      const written = backend.take(line);
      if (!written) continue;
      const isOptional = !this.parts.strict.has(backend.name);
      pending.push(
        written.then(
          () => true,
          () => isOptional,
        ),
      );
    }
    return pending.length === 0 || Promise.all(pending).then((all) => all.every(Boolean));
  }

  noteRejection(): void {
    this.parts.metrics.rejectedRequests.series().add();
  }

  /** Resolves when every backend has written the events that it accepted. */
  async close(): Promise<void> {
    await Promise.all(this.parts.backends.map((backend) => backend.close()));
  }
}
