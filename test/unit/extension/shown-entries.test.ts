/** Conversions that several requests share: who waits for which, and what becomes of those that nobody waits for. */
import { laterTurn } from '../../../src/base/cooperate.ts';
import { systemRandom } from '../../../src/base/random.ts';
import { ShownEntries } from '../../../src/extension/custom-resources/shown-entries.ts';
import { EntryCache } from '../../../src/registry/entry-cache.ts';
import { NumberSeries } from '../../../src/observe/metric-series.ts';
import { newEntry } from '../../../src/registry/written-entry.ts';
import type { Entry } from '../../../src/storage/types.ts';

interface Call {
  readonly entries: readonly Entry[];
  readonly signal: AbortSignal;
  readonly answer: PromiseWithResolvers<readonly Entry[]>;
}

function entry(name: string): Entry {
  const metadata = { name, namespace: 'default' };
  const bytes = Buffer.from(JSON.stringify({ kind: 'Thing', apiVersion: 'example.com/v1', metadata }));
  return newEntry('example.com/things', `default/${name}`, bytes, 7);
}

/** Entries whose conversions wait until they are answered. */
function held(): { shown: ShownEntries; calls: Call[] } {
  const calls: Call[] = [];
  const cells = { made: new NumberSeries(), evicted: new NumberSeries(), size: new NumberSeries() };
  const kept = new EntryCache(1024 * 1024, cells, systemRandom);
  const shown = new ShownEntries(kept, (entries, signal) => {
    const answer = Promise.withResolvers<readonly Entry[]>();
    signal.addEventListener('abort', () => {
      answer.reject(new Error('nobody waits'));
    });
    calls.push({ entries, signal, answer });
    return answer.promise;
  });
  return { shown, calls };
}

const forever = new AbortController().signal;

test('concurrent requests share a conversion in progress', async () => {
  const { shown, calls } = held();
  const one = entry('a');
  const both = [shown.shown([one], forever), shown.shown([one], forever)];
  calls[0]?.answer.resolve([one]);
  expect(await Promise.all(both)).toEqual([[one], [one]]);
  expect(calls).toHaveLength(1);
});

test('a conversion without waiting requests is aborted, and the next request does not wait for it', async () => {
  const { shown, calls } = held();
  const one = entry('a');
  const leaving = new AbortController();
  const gone = shown.shown([one], leaving.signal);
  leaving.abort(new Error('enough'));
  await expect(gone).rejects.toThrow('enough');
  expect(calls[0]?.signal.aborted).toBe(true);
  const later = shown.shown([one], forever);
  expect(calls).toHaveLength(2);
  calls[1]?.answer.resolve([one]);
  expect(await later).toEqual([one]);
});

test('a conversion goes on while one of several still waits', async () => {
  const { shown, calls } = held();
  const one = entry('a');
  const leaving = new AbortController();
  const gone = shown.shown([one], leaving.signal);
  const patient = shown.shown([one], forever);
  leaving.abort(new Error('enough'));
  await expect(gone).rejects.toThrow('enough');
  expect(calls[0]?.signal.aborted).toBe(false);
  calls[0]?.answer.resolve([one]);
  expect(await patient).toEqual([one]);
});

test('a request that joined a failed conversion retries once itself', async () => {
  const { shown, calls } = held();
  const [one, two] = [entry('a'), entry('b')];
  const first = shown.shown([one, two], forever);
  const joined = shown.shown([two], forever);
  calls[0]?.answer.reject(new Error('not today'));
  await expect(first).rejects.toThrow('not today');
  await Promise.resolve();
  expect(calls.map(({ entries }) => entries)).toEqual([[one, two], [two]]);
  calls[1]?.answer.reject(new Error('nor tomorrow'));
  await expect(joined).rejects.toThrow('nor tomorrow');
  expect(calls).toHaveLength(2);
});

test('a request that retries does not join another that retries, whose objects may fail again', async () => {
  const { shown, calls } = held();
  const [bad, good, other] = [entry('bad'), entry('good'), entry('other')];
  const first = shown.shown([bad, good, other], forever);
  const list = shown.shown([bad, good], forever);
  const single = shown.shown([good], forever);
  const failed = [first, list].map((request) => expect(request).rejects.toThrow('not this one'));
  calls[0]?.answer.reject(new Error('not this one'));
  await failed[0];
  await Promise.resolve();
  expect(calls.map(({ entries }) => entries)).toEqual([[bad, good, other], [bad, good], [good]]);
  calls[1]?.answer.reject(new Error('not this one'));
  await failed[1];
  calls[2]?.answer.resolve([good]);
  expect(await single).toEqual([good]);
});

test('requests for the same objects, and for more, fail with the conversion that they share: none asks again', async () => {
  const { shown, calls } = held();
  const [one, two, three] = [entry('a'), entry('b'), entry('c')];
  const requests = Array.from({ length: 50 }, () => shown.shown([one, two], forever));
  requests.push(shown.shown([one, two, three], forever));
  const failed = requests.map((request) => expect(request).rejects.toThrow('the webhook is down'));
  // The number of calls grows where requests ask again.
  for (const { answer } of calls) {
    answer.reject(new Error('the webhook is down'));
    await laterTurn();
  }
  await Promise.all(failed);
  expect(calls.map(({ entries }) => entries)).toEqual([[one, two], [three]]);
});

test('a request for one object does not wait for the batches of a list', async () => {
  const { shown, calls } = held();
  const many = Array.from({ length: 3_000 }, (_, i) => entry(`many-${String(i)}`));
  const list = shown.shown(many, forever);
  const one = entry('one');
  const single = shown.shown([one], forever);
  await laterTurn();
  expect(calls.map(({ entries }) => entries.length)).toEqual([500, 500, 500, 500, 1]);
  calls[4]?.answer.resolve([one]);
  expect(await single).toEqual([one]);
  for (let at = 0; at < calls.length; at += 1) {
    calls[at]?.answer.resolve(calls[at]?.entries ?? []);
    await laterTurn();
  }
  expect(await list).toEqual(many);
});

test('conversions of all requests together have a bound', async () => {
  const { shown, calls } = held();
  const requests = Array.from({ length: 100 }, (_, i) => shown.shown([entry(String(i))], forever));
  await laterTurn();
  expect(calls).toHaveLength(32);
  for (let at = 0; at < calls.length; at += 1) {
    calls[at]?.answer.resolve(calls[at]?.entries ?? []);
    await laterTurn();
  }
  expect(await Promise.all(requests)).toHaveLength(100);
});
