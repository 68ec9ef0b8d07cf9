/** Holds a recorded history of real replicas against etcd's own. */
import type { ApiObject } from '../../support/client.ts';
import type { EtcdCluster } from '../../support/etcd/cluster.ts';
import { truthOf } from '../../support/histories/etcd-truth.ts';
import { validate, validators } from '../../support/histories/validate.ts';
import { changesOf } from '../../support/histories/watched.ts';
import type { History, StoredState, Truth } from '../../support/histories/types.ts';
import type { HistoryRecorder } from './history-recorder.ts';

/**
 * Also makes sure that the validators see something: without one event of a watch, the history must be wrong.
 * @returns what the validators found, in words, and a line about the history for the log
 * @throws Error when etcd's history cannot be read
 */
export async function judgedHistory(
  etcd: EtcdCluster,
  recorder: HistoryRecorder,
): Promise<{ readonly violations: string[]; readonly summary: string }> {
  const { id, valueOf } = recorder.collection;
  const stateOf = (object: object): StoredState => {
    const { metadata } = object as ApiObject;
    const { labels = {}, uid } = metadata;
    return { value: valueOf(object as ApiObject), labels, ...(uid !== undefined && { uid }) };
  };
  const truth = await truthOf(etcd, { collections: [id], stateOf });
  const history = recorder.history();
  expectLossIsSeen(history, truth);
  const started = performance.now();
  const violations = validate(history, truth);
  const milliseconds = performance.now() - started;
  const { gets, lists, writes, watches } = history;
  const events = watches.flatMap((watch) => watch.events);
  const bookmarks = events.filter(({ type }) => type === 'BOOKMARK').length;
  const summary =
    `history: ${gets.length} gets, ${lists.length} lists, ${writes.length} writes, ${watches.length} watches with ` +
    `${events.length - bookmarks} events and ${bookmarks} bookmarks, against ${truth.pasts[0]?.commits.length ?? 0} ` +
    `commits in ${milliseconds.toFixed(0)} ms\n`;
  return { violations, summary };
}

function expectLossIsSeen(history: History, truth: Truth): void {
  const whole = history.watches.find((watch) => changesOf(watch).length > 2);
  if (whole === undefined) throw new Error('no watch told more than two changes');
  const [lost] = changesOf(whole);
  const watch = { ...whole, events: whole.events.filter((event) => event !== lost) };
  if (validators.reliable({ ...history, watches: [watch] }, truth).length === 0)
    throw new Error(`nobody misses an event of the watch ${watch.id}`);
}
