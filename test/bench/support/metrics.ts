/** Figures that a process tells of itself in the Prometheus text format. */
import type { ApiClient } from '../../support/client.ts';

/** The sum of all series of a metric whose labels hold every one of `labels` (`name="value"`); 0 when there is none. */
export function figureIn(text: string, metric: string, labels: readonly string[] = []): number {
  let sum = 0;
  for (const line of text.split('\n')) {
    const [series = '', value = ''] = line.split(/ (?=[^ ]*$)/);
    const [name = ''] = series.split('{');
    if (name === metric && labels.every((label) => series.includes(label))) sum += Number(value);
  }
  return sum;
}

/** What a counter gained while `act` ran. */
export async function gained<T>(
  client: ApiClient,
  [metric, ...labels]: readonly [string, ...string[]],
  act: () => Promise<T>,
): Promise<{ readonly result: T; readonly gain: number }> {
  const now = async (): Promise<number> => figureIn((await client.get('/metrics')).text, metric, labels);
  const before = await now();
  const result = await act();
  return { result, gain: (await now()) - before };
}
