/** Histories over an etcd that was restored to an older state: versions begin anew, and a watch goes on only after 410. */
import { validate } from '../../../support/histories/validate.ts';
import type { Commit, GetRecord, History, Truth, WatchRecord } from '../../../support/histories/types.ts';

const collection = 'core/configmaps';
const commit = (revision: number, value: string, key = 'a/x'): Commit => ({
  revision,
  changes: [{ collection, key, put: { value } }],
});

/** Restored at point 100 to revision 2; what came at 3 and 4 before is lost. */
const truth: Truth = {
  pasts: [
    {
      from: -Infinity,
      commits: [1, 2, 3, 4].map((at) => commit(at, `old${String(at)}`)),
      ...{ base: 0, head: 4, compacted: 0 },
    },
    {
      from: 100,
      commits: [commit(1, 'old1'), commit(2, 'old2'), commit(3, 'new3')],
      ...{ base: 2, head: 3, compacted: 0 },
    },
  ],
};

/** The writes that made the truth. */
const writes: History['writes'] = ['old1', 'old2', 'old3', 'old4', 'new3'].map((value, index) => {
  const call = value === 'new3' ? 110 : 10 + 10 * index;
  return {
    ...{ id: value, client: 'writer', replica: 'r', collection, key: 'a/x', value, call, end: call + 1 },
    verb: index === 0 ? 'create' : 'update',
    outcome: { kind: 'done', version: Number(value.slice(3)) },
  };
});

function get(call: number, version: number, value: string): GetRecord {
  return {
    ...{ id: `get ${value}`, client: 'reader', replica: 'r', collection, key: 'a/x', call, end: call + 1 },
    freshness: { kind: 'mostRecent' },
    answer: { found: { key: 'a/x', version, value } },
  };
}

function watch(call: number, after: number, told: readonly (readonly [number, string])[]): WatchRecord {
  return {
    ...{ id: `watch ${String(call)}`, client: 'watcher', replica: 'r', collection, call, bookmarks: true },
    filter: { prefix: '' },
    start: { kind: 'after', version: after },
    events: told.map(([version, value], index) => ({
      ...{ at: call + 1 + index, type: version === 1 ? 'ADDED' : 'MODIFIED', key: 'a/x', version, value },
    })),
    ending: { at: call + 9, reason: 'ended' },
  };
}

const judge = (parts: Partial<History>): string[] =>
  validate({ gets: [], lists: [], watches: [], writes, ...parts }, truth);

test('what a client is told of either past is right in its time', () => {
  const gets = [get(60, 4, 'old4'), get(105, 2, 'old2'), get(120, 3, 'new3')];
  const watches = [
    watch(60, 0, [
      [1, 'old1'],
      [2, 'old2'],
      [3, 'old3'],
      [4, 'old4'],
    ]),
    watch(130, 0, [
      [1, 'old1'],
      [2, 'old2'],
      [3, 'new3'],
    ]),
  ];
  expect(judge({ gets, watches })).toEqual([]);
});

test('a bookmark without events is of the past that has none', () => {
  const parts = { base: 0, head: 2, compacted: 0 };
  const pasts = [
    { from: -Infinity, commits: [commit(1, 'old1'), commit(2, 'lost2', 'b/z')], ...parts },
    { from: 100, commits: [commit(1, 'old1'), commit(2, 'new2')], ...parts, base: 1 },
  ];
  const [first] = writes;
  if (first === undefined) throw new Error('there are no writes');
  const others = [
    { ...first, id: 'lost2', key: 'b/z', value: 'lost2', call: 20, end: 21 },
    { ...first, id: 'new2', verb: 'update' as const, value: 'new2', call: 110, end: 111 },
  ].map((write) => ({ ...write, outcome: { kind: 'done', version: 2 } as const }));
  const watches = [
    {
      ...watch(130, 1, []),
      filter: { prefix: 'b/' },
      events: [{ at: 131, type: 'BOOKMARK' as const, key: '', version: 2, value: '' }],
    },
  ];
  expect(validate({ gets: [], lists: [], watches, writes: [first, ...others] }, { pasts })).toEqual([]);
});

test('a most recent read of the past that is over is found', () => {
  expect(judge({ gets: [get(120, 4, 'old4')] }).join('\n')).toContain('is of a past that was over');
});

test('a read of what the restored etcd overwrote is stale', () => {
  expect(judge({ gets: [get(120, 2, 'old2')] }).join('\n')).toMatch(
    /^linearizable: get .* comes after update/,
  );
});

/** Restored as documented: the key came back at 1001. */
const raised: Truth = {
  pasts: [
    ...truth.pasts.slice(0, 1),
    {
      from: 100,
      commits: [commit(1_001, 'old2'), commit(1_002, 'new3')],
      ...{ base: 1_001, isRaised: true, head: 1_002, compacted: 1_001 },
    },
  ],
};
const raisedWrites = writes.map((write) =>
  write.value === 'new3' ? { ...write, outcome: { kind: 'done', version: 1_002 } as const } : write,
);
const judgeRaised = (parts: Partial<History>): string[] =>
  validate({ gets: [], lists: [], watches: [], writes: raisedWrites, ...parts }, raised);
const restored: WatchRecord = {
  ...watch(130, 1_001, []),
  events: [{ at: 131, type: 'MODIFIED', key: 'a/x', version: 1_002, value: 'new3' }],
};

test('what clients are told of an etcd that was restored as documented is right', () => {
  const gets = [get(60, 4, 'old4'), get(105, 1_001, 'old2'), get(120, 1_002, 'new3')];
  expect(judgeRaised({ gets, watches: [restored] })).toEqual([]);
});

test('a watch that goes on after a version of the past before is found where every version tells its past', () => {
  const start = { kind: 'after', version: 4 } as const;
  const words = 'goes on after 4 of another past';
  expect(judgeRaised({ watches: [{ ...restored, start }] }).join('\n')).toContain(words);
  expect(judge({ watches: [{ ...watch(130, 2, [[3, 'new3']]), continues: 'before' }] })).toEqual([]);
});

test('a most recent list that is older than the beginning of its past is found', () => {
  const [call, end] = [120, 121];
  const page = {
    call,
    end,
    version: 1,
    items: [{ key: 'a/x', version: 1, value: 'old1' }],
    continues: false,
  };
  const list = {
    ...{ id: 'list', client: 'reader', replica: 'r', collection, call, pages: [page] },
    ...{ filter: { prefix: '' }, freshness: { kind: 'mostRecent' } as const },
  };
  expect(judge({ lists: [list] }).join('\n')).toContain('is of a past that was over');
});

test('a list of a replica that has not found out is right, but not a mixture of both pasts', () => {
  const page = (version: number, value: string) => ({
    ...{ call: 120, end: 121, version: 4, continues: false },
    items: [{ key: 'a/x', version, value }],
  });
  const list = (version: number, value: string): History['lists'][number] => ({
    ...{ id: 'list', client: 'reader', replica: 'r', collection, call: 120, pages: [page(version, value)] },
    ...{ filter: { prefix: '' }, freshness: { kind: 'any' } },
  });
  expect(judge({ lists: [list(4, 'old4')] })).toEqual([]);
  expect(judge({ lists: [list(3, 'new3')] }).join('\n')).toContain('exactLists: ');
});

test('a deletion of each past is one', () => {
  const removal: Commit = { revision: 5, changes: [{ collection, key: 'a/x', put: undefined }] };
  const [old, now] = truth.pasts as [Truth['pasts'][number], Truth['pasts'][number]];
  const both: Truth = {
    pasts: [
      { ...old, commits: [...old.commits, removal], head: 5 },
      { ...now, commits: [...now.commits, removal], head: 5 },
    ],
  };
  const deletion = (call: number): History['writes'][number] => ({
    ...{ id: `delete ${String(call)}`, client: 'writer', replica: 'r', collection, key: 'a/x', value: '' },
    ...{ verb: 'delete', call, end: call + 1, outcome: { kind: 'done', version: undefined } },
  });
  const judged = (...calls: number[]): string[] =>
    validate({ gets: [], lists: [], watches: [], writes: [...writes, ...calls.map(deletion)] }, both);
  expect(judged(80, 130)).toEqual([]);
  expect(judged(80, 130, 140).join('\n')).toContain('was removed 2 times');
});

test('a watch that mixes pasts is found', () => {
  const mixed = watch(130, 0, [
    [1, 'old1'],
    [2, 'old2'],
    [3, 'new3'],
    [4, 'old4'],
  ]);
  expect(judge({ watches: [mixed] }).join('\n')).toContain('filtered: watch watch 130');
});

test('a write that arrives in a past that is over is found', () => {
  const late = { ...writes[3]!, id: 'late', call: 120, end: 121 };
  const found = judge({ writes: [...writes.slice(0, 3), writes[4]!, late] });
  expect(found.join('\n')).toContain('of a past that was over');
});
