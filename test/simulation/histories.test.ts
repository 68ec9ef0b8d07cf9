/** A minute of simulated histories: known ones, and as many fresh ones. */
import { runSimulation, type Report } from './support/run-simulation.ts';

const minute = 60_000;

function words({ text, failures }: Report): string {
  return failures === 0 ? 'no violation' : text;
}

test.each([1, Math.floor(Math.random() * 1e9)])(
  'histories from seed %i on keep every promise',
  async (seed) => {
    const report = await runSimulation([`--seed=${String(seed)}`, '--minutes=0.5']);
    process.stderr.write(`simulation: ${JSON.stringify({ ...report, text: undefined })}\n`);
    expect(words(report)).toBe('no violation');
    expect(report.histories).toBeGreaterThan(10);
    expect(report.withControllers).toBeGreaterThan(0);
  },
  5 * minute,
);

test(
  'a seed repeats event by event',
  async () => {
    const digest = async (seed: number): Promise<string> =>
      (await runSimulation([`--seed=${String(seed)}`, '--seeds=10'])).digest;
    const [first, again, other] = await Promise.all([digest(7), digest(7), digest(8)]);
    expect(again).toBe(first);
    expect(other).not.toBe(first);
  },
  2 * minute,
);
