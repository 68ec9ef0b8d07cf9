/** A sink that gets events in another shape than others; one that has none is lost to it. */
import type { AuditLine, AuditSink } from './types.ts';
import type { LossReport } from './writer.ts';

export interface SinkShape {
  /** undefined: the event cannot be told there. */
  readonly shape: (line: AuditLine) => AuditLine | undefined;
  readonly lost: LossReport;
}

export class ShapedSink implements AuditSink {
  private readonly inner: AuditSink;
  private readonly parts: SinkShape;

  constructor(inner: AuditSink, parts: SinkShape) {
    this.inner = inner;
    this.parts = parts;
  }

  get name(): string {
    return this.inner.name;
  }

  take(line: AuditLine): void | Promise<void> {
    const shaped = this.parts.shape(line);
    if (shaped !== undefined) return this.inner.take(shaped);
    const problem = new Error('the event is too large even without its bodies');
    this.parts.lost(1, problem);
    return Promise.reject(problem);
  }

  close(): Promise<void> {
    return this.inner.close();
  }
}
