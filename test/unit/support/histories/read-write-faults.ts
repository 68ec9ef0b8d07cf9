/** Faults of reads and writes. */
import { afterwards, newGet, oneOf, overwritten, type Fault, type Mutable } from './fault.ts';
import type { Truth } from '../../../support/histories/types.ts';

export const readFaults: readonly Fault[] = [
  {
    what: 'a list lacks an object',
    foundBy: 'exactLists',
    put: ({ lists }, _truth, pick) => {
      const page = oneOf(
        lists.flatMap(({ pages }) => pages.filter(({ items }) => items.length > 0)),
        pick,
      );
      page?.items.shift();
      return page !== undefined;
    },
  },
  {
    what: 'a chunk is of a later version',
    foundBy: 'exactLists',
    put: ({ lists }, _truth, pick) => {
      const pages = oneOf(
        lists.filter((list) => list.pages.length > 1),
        pick,
      )?.pages;
      if (pages) pages[1]!.version += 1;
      return pages !== undefined;
    },
  },
  {
    what: 'an exact list is of another version',
    foundBy: 'exactLists',
    put: ({ lists }, _truth, pick) => {
      const list = oneOf(
        lists.filter(({ freshness }) => freshness.kind === 'exact'),
        pick,
      );
      if (list) list.freshness = { kind: 'exact', revision: list.pages[0]!.version + 1 };
      return list !== undefined;
    },
  },
  {
    what: 'a get finds what never was',
    foundBy: 'trueGets',
    put: ({ gets }, _truth, pick) => {
      const get = oneOf(
        gets.filter(({ answer }) => 'found' in answer && answer.found !== undefined),
        pick,
      );
      if (get && 'found' in get.answer) get.answer.found!.value = 'invented';
      return get !== undefined;
    },
  },
  {
    what: 'an exact get shows what was overwritten by then',
    foundBy: 'trueGets',
    put: (history, truth, pick) => {
      const past = overwritten(truth, pick);
      if (past) {
        const freshness = { kind: 'exact' as const, revision: past.until };
        history.gets.push({ ...newGet(history, past.state), freshness });
      }
      return past !== undefined;
    },
  },
  {
    what: 'a most recent get is stale',
    foundBy: 'linearizable',
    put: (history, truth, pick) => {
      const past = overwritten(truth, pick);
      const isTold = history.writes.some(
        ({ outcome, end }) =>
          end !== undefined && outcome.kind === 'done' && (outcome.version ?? 0) >= (past?.until ?? Infinity),
      );
      if (past && isTold) history.gets.push(newGet(history, past.state));
      return past !== undefined && isTold;
    },
  },
  {
    what: 'a read with any freshness shows what is written only later',
    foundBy: 'linearizable',
    put: (history, _truth, pick) => {
      const write = oneOf(
        history.writes.filter(({ outcome, value }) => outcome.kind === 'done' && value !== ''),
        pick,
      );
      if (write?.outcome.kind !== 'done') return false;
      const state = { key: write.key, value: write.value, version: write.outcome.version! };
      const points = { call: write.call - 0.4, end: write.call - 0.2 };
      history.gets.push({ ...newGet(history, state), ...points, freshness: { kind: 'any' } });
      return true;
    },
  },
  {
    what: 'a client gets an older list than before',
    foundBy: 'versionsNeverGoBack',
    put: (history, _truth, pick) => {
      const told = history.lists.flatMap((list) =>
        list.pages.slice(0, 1).map(({ version }) => ({ list, version })),
      );
      const newest = Math.max(0, ...told.map(({ version }) => version));
      const old = oneOf(
        told.filter(({ version }) => version < newest),
        pick,
      );
      const witness = told.find(({ version }) => version === newest);
      if (!old || !witness) return false;
      const now = afterwards(history);
      const pages = old.list.pages.map((page) => ({ ...page, call: now(), end: now() }));
      const { client } = witness.list;
      history.lists.push({
        ...old.list,
        client,
        freshness: { kind: 'mostRecent' },
        call: pages[0]!.call,
        pages,
      });
      return true;
    },
  },
  {
    what: 'the view of a replica goes back',
    foundBy: 'replicaViews',
    put: (history, truth, pick) => {
      const past = overwritten(truth, pick);
      const witness = history.gets.find(
        ({ answer, freshness }) =>
          freshness.kind !== 'exact' &&
          'found' in answer &&
          (answer.found?.version ?? 0) >= (past?.until ?? Infinity),
      );
      if (!past || !witness) return false;
      const { replica } = witness;
      history.gets.push({ ...newGet(history, past.state), replica, freshness: { kind: 'any' } });
      return true;
    },
  },
];

export const writeFaults: readonly Fault[] = [
  {
    what: 'an acknowledged write is lost',
    foundBy: 'writesTakeEffectOnce',
    put: (history) => {
      const now = afterwards(history);
      history.writes.push({
        ...{ id: 'lost', client: 'late', replica: '', collection: 'core/configmaps' },
        ...{ call: now(), end: now(), verb: 'create', key: 'a/lost', value: 'lost' },
        outcome: { kind: 'done', version: 1 },
      });
      return true;
    },
  },
  {
    what: 'a write took effect twice',
    foundBy: 'writesTakeEffectOnce',
    put: (_history, truth, pick) => {
      const [past] = truth.pasts as Mutable<Truth>['pasts'];
      const old = overwritten(truth, pick);
      if (!past || !old) return false;
      const { key, value } = old.state;
      const recent = past.commits.flatMap(({ changes }) => changes).findLast((change) => change.key === key);
      if (recent?.put?.value === value) return false;
      past.commits.push({
        revision: past.head + 1,
        changes: [{ collection: 'core/configmaps', key, put: { value } }],
      });
      past.head += 1;
      return true;
    },
  },
  {
    what: 'a refused write took effect',
    foundBy: 'writesTakeEffectOnce',
    put: ({ writes }, _truth, pick) => {
      const write = oneOf(
        writes.filter(({ outcome, value }) => outcome.kind === 'done' && value !== ''),
        pick,
      );
      if (write) write.outcome = { kind: 'refused', reason: 'invalid' };
      return write !== undefined;
    },
  },
  {
    what: 'a write is told the version of another',
    foundBy: 'writesTakeEffectOnce',
    put: ({ writes }, _truth, pick) => {
      const write = oneOf(
        writes.filter(({ outcome, value }) => outcome.kind === 'done' && value !== ''),
        pick,
      );
      if (write) write.outcome = { kind: 'done', version: 0 };
      return write !== undefined;
    },
  },
  {
    what: 'a condition did not hold',
    foundBy: 'writesTakeEffectOnce',
    put: ({ writes }, _truth, pick) => {
      const write = oneOf(
        writes.filter(({ outcome, expected, value }) => outcome.kind === 'done' && expected && value !== ''),
        pick,
      );
      if (write) write.expected! += 1;
      return write !== undefined;
    },
  },
  {
    what: 'a deletion was acknowledged that never happened',
    foundBy: 'writesTakeEffectOnce',
    put: (history) => {
      const now = afterwards(history);
      history.writes.push({
        ...{ id: 'lost', client: 'late', replica: '', collection: 'core/configmaps' },
        ...{ call: now(), end: now(), verb: 'delete', key: 'a/lost', value: '' },
        outcome: { kind: 'done', version: undefined },
      });
      return true;
    },
  },
  {
    what: 'a creation is refused where there was nothing',
    foundBy: 'linearizable',
    put: (history) => {
      const now = afterwards(history);
      history.writes.push({
        ...{ id: 'odd', client: 'late', replica: '', collection: 'core/configmaps' },
        ...{ call: now(), end: now(), verb: 'create', key: 'a/never', value: 'odd' },
        outcome: { kind: 'refused', reason: 'exists' },
      });
      return true;
    },
  },
];
