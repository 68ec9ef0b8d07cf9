/** A writer of audit events that writes when the test says so. */
import type { AuditWriter } from '../../src/audit/audit-writer.ts';
import { waitFor } from './wait-for.ts';

/** Writes when it is let. */
export class HeldWriter implements AuditWriter {
  readonly batches: (readonly string[])[] = [];
  private readonly held: { resolve: () => void; reject: (error: Error) => void }[] = [];

  write(lines: readonly string[]): Promise<void> {
    this.batches.push(lines);
    return new Promise((resolve, reject) => this.held.push({ resolve, reject }));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async next(how: 'written' | 'failed' = 'written'): Promise<void> {
    await waitFor('a batch', () => this.held.length > 0);
    const next = this.held.shift();
    if (how === 'written') next?.resolve();
    else next?.reject(new Error('no space'));
  }
}
