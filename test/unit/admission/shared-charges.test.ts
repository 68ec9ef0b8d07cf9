/** Writes that take of the same quota at once: one update of its status counts all of them. */
import type { ResourceQuotaStatus } from '../../../src/api/core/v1.types.ts';
import { createResourceQuotaPlugin, type QuotaAccessor } from '../../../src/admission/resource-quota.ts';
import { SharedCharges } from '../../../src/admission/shared-charges.ts';
import { attributesOf, outcomeOf, readerOf } from '../../support/admission.ts';
import { HandClock } from '../../support/hand-clock.ts';
import { holdThread, TurnCounts } from '../../support/turn-counts.ts';
import { waitFor } from '../../support/wait-for.ts';

type Update = Parameters<QuotaAccessor['update']>;

/** A quota that is written as etcd would: an update may find that another replica was first. */
class Ledger implements QuotaAccessor {
  updates = 0;
  used: number;
  /** What others write before an update is stored: the update is made again. */
  readonly others: number[] = [];
  /** Updates end when the test says so. */
  gate: Promise<void> = Promise.resolve();
  error: Error | undefined;
  private readonly hard: number;

  constructor(hard: number, used = 0) {
    this.hard = hard;
    this.used = used;
  }

  quota(used = this.used): object {
    return {
      metadata: { name: 'q' },
      spec: { hard: { configmaps: String(this.hard) } },
      status: { used: { configmaps: String(used) } },
    };
  }

  async update(...[, , change, signal]: Update): Promise<void> {
    this.updates += 1;
    const seen = this.used;
    await this.gate;
    signal.throwIfAborted();
    if (this.error) throw this.error;
    const make = (used: number): ResourceQuotaStatus =>
      change(this.quota(used) as Parameters<typeof change>[0]);
    let status = make(seen);
    for (const other of this.others.splice(0)) {
      this.used += other;
      status = make(this.used);
    }
    this.used = Number(status.used?.['configmaps']);
  }
}

function writesOver(ledger: Ledger): (signal?: AbortSignal) => Promise<string> {
  const clock = new HandClock();
  const reader = readerOf({ 'core/resourcequotas/web/q': ledger.quota() });
  const plugin = createResourceQuotaPlugin(reader, new SharedCharges(ledger, clock), clock);
  return (signal = new AbortController().signal) => {
    const attributes = attributesOf({ resource: 'configmaps', object: {} });
    return outcomeOf(plugin, { ...attributes, scope: { ...attributes.scope, signal } });
  };
}

const together = (count: number, write: () => Promise<string>): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, () => write()));

test('writes that were counted together go on in several turns of the event loop', async () => {
  const write = writesOver(new Ledger(1_000));
  const turns = new TurnCounts();
  const all = Array.from({ length: 40 }, async () => {
    expect(await write()).toBe('');
    turns.note();
    holdThread(6);
  });
  await Promise.all(all);
  turns.end();
  expect(turns.most).toBeLessThanOrEqual(3);
});

test('a hundred writes at once are counted by two updates', async () => {
  const ledger = new Ledger(1_000);
  expect(await together(100, writesOver(ledger))).toEqual(Array.from({ length: 100 }, () => ''));
  expect(ledger.used).toBe(100);
  expect(ledger.updates).toBe(2);
});

test('as many get in as there is room for, whoever writes at another replica meanwhile', async () => {
  const ledger = new Ledger(60);
  ledger.others.push(10, 15);
  const outcomes = await together(100, writesOver(ledger));
  expect(ledger.used).toBe(60);
  expect(outcomes.filter((outcome) => outcome === '').length).toBe(35);
  for (const outcome of outcomes)
    if (outcome !== '')
      expect(outcome).toMatch(
        /exceeded quota: q, requested: configmaps=1, used: configmaps=60, limited: configmaps=60/,
      );
});

test('a quota without room is not written', async () => {
  const ledger = new Ledger(5, 5);
  const outcomes = await together(20, writesOver(ledger));
  expect(outcomes.every((outcome) => outcome.startsWith('403'))).toBe(true);
  expect(ledger.used).toBe(5);
});

test('a write that is over leaves at once and takes nothing; the others go on', async () => {
  const ledger = new Ledger(1_000);
  const gate = Promise.withResolvers<undefined>();
  ledger.gate = gate.promise.then(() => undefined);
  const write = writesOver(ledger);
  const first = write();
  const ending = new AbortController();
  const leaving = write(ending.signal);
  const others = together(10, write);
  ending.abort(new Error('the client has left'));
  await expect(leaving).rejects.toThrow('the client has left');
  gate.resolve(undefined);
  expect([await first, ...(await others)].every((outcome) => outcome === '')).toBe(true);
  expect(ledger.used).toBe(11);
});

test('what keeps the quota from being written fails all that waited for it, and not those that come later', async () => {
  const ledger = new Ledger(1_000);
  ledger.error = new Error('etcd is away');
  const write = writesOver(ledger);
  const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => write()));
  expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
  ledger.error = undefined;
  await waitFor('a write that passes', async () => (await write()) === '');
  expect(ledger.used).toBe(1);
});
