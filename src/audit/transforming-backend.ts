/**
 * An audit backend that transforms events (version, format, truncation) before another one writes them. An event that
 * cannot be transformed is dropped and counted.
 */
import type { AuditLine, AuditBackend } from './types.ts';
import type { LossReport } from './audit-writer.ts';

export interface EventTransform {
  /** undefined: the event cannot be written in this form. */
  readonly transform: (line: AuditLine) => AuditLine | undefined;
  readonly lost: LossReport;
}

export class TransformingBackend implements AuditBackend {
  private readonly inner: AuditBackend;
  private readonly parts: EventTransform;

  constructor(inner: AuditBackend, parts: EventTransform) {
    this.inner = inner;
    this.parts = parts;
  }

  get name(): string {
    return this.inner.name;
  }

  take(line: AuditLine): void | Promise<void> {
    const transformed = this.parts.transform(line);
    if (transformed !== undefined) return this.inner.take(transformed);
    const problem = new Error('the event is too large even without its bodies');
    this.parts.lost(1, problem);
    return Promise.reject(problem);
  }

  close(): Promise<void> {
    return this.inner.close();
  }
}
