/** Long lists that are asked for at once: each is begun in a turn of its own. */
import { performance } from 'node:perf_hooks';
import { Query } from '../../../src/http/query.ts';
import { serveList } from '../../../src/http/verbs/serve-list.ts';

type Given = Parameters<typeof serveList>;

async function turnsOf(length: number): Promise<number[]> {
  const turns: number[] = [];
  const representation = {
    list: () => {
      turns.push(performance.nodeTiming.uvMetricsInfo.loopCount);
      // As long as it takes to add up the lengths of thousands of entries.
      const end = performance.now() + 6;
      while (performance.now() < end);
      throw new Error('listed');
    },
  };
  const deps = {
    verbs: { list: () => Promise.resolve({ entries: { length } }) },
    representations: { of: () => representation },
  } as unknown as Given[1];
  const request = {
    context: { query: new Query(''), info: {} },
    resource: {},
    name: '',
  } as unknown as Given[0];
  const lists = Array.from({ length: 4 }, () => serveList(request, deps));
  for (const list of await Promise.allSettled(lists))
    expect(list).toMatchObject({ status: 'rejected', reason: { message: 'listed' } });
  return turns;
}

test.each([150, 900, 12_000])(
  'lists of %i that are asked for at once begin in turns of their own',
  async (length) => {
    expect(new Set(await turnsOf(length)).size).toBe(4);
  },
);

test('short ones do not wait', async () => {
  expect(new Set(await turnsOf(10)).size).toBe(1);
});
