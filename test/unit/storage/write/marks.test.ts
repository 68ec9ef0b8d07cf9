import fc from 'fast-check';

import { systemRandom } from '../../../../src/base/random.ts';
import { judgeWrite, type RetainedHistory } from '../../../../src/storage/write/judge-write.ts';
import type { GuardedWrite } from '../../../../src/storage/write/guarded-write.ts';
import { MarkMaker, markOf, withMark, withoutMark } from '../../../../src/storage/write/mark.ts';
import type { StoredEvent } from '../../../../src/storage/types.ts';
import { UnreadableEntry } from '../../../../src/storage/view/entry-reader.ts';
import { StoredEntry } from '../../../../src/storage/view/stored-entry.ts';
import { deletion } from '../../../../src/storage/view/view.ts';

describe('marks', () => {
  test('any mark comes off as it went on, and the value stays the same JSON', () => {
    fc.assert(
      fc.property(fc.json(), fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), (text, mark) => {
        fc.pre(mark !== 0);
        const signed = withMark(Buffer.from(text), mark);
        expect(markOf(signed)).toBe(mark);
        expect(withoutMark(signed, mark).toString()).toBe(text);
        expect(JSON.parse(signed.toString())).toEqual(JSON.parse(text));
      }),
    );
  });

  test('values of others have none', () => {
    for (const text of ['', '{}', '{"a":1}\n', `{}\n${' '.repeat(15)}x`, '\n'.repeat(17)]) {
      expect(markOf(Buffer.from(text))).toBe(0);
      expect(withoutMark(Buffer.from(text), 0).toString()).toBe(text);
    }
  });

  test('a maker does not repeat itself', () => {
    const maker = new MarkMaker(systemRandom);
    const marks = Array.from({ length: 10_000 }, () => maker.next());
    expect(new Set(marks).size).toBe(marks.length);
    expect(marks.every((mark) => mark !== 0 && Number.isInteger(mark))).toBe(true);
  });
});

describe('judgement of a write whose answer was lost', () => {
  const own = 7;
  const entry = (modRevision: number, mark = 0) =>
    new StoredEntry({ collection: 'c', key: 'k', modRevision, bytes: Buffer.from('1'), mark });
  const put = (revision: number, mark: number): StoredEvent => {
    const previous = undefined;
    return { type: 'put', revision, collection: 'c', key: 'k', entry: entry(revision, mark), previous };
  };
  const removal = (revision: number, of: number): StoredEvent => deletion(entry(of), revision);
  const history = (...events: StoredEvent[]): RetainedHistory => ({ floor: 5, events });
  const lost: RetainedHistory = { floor: 50, events: [] };
  const write = (kind: GuardedWrite['kind']): GuardedWrite => ({
    kind,
    collection: 'c',
    key: 'k',
    expected: kind === 'create' ? 0 : 8,
    value: kind === 'delete' ? undefined : Buffer.from('1'),
    mark: own,
    since: 10,
    past: { epoch: 0, name: undefined },
  });

  const cases: [string, GuardedWrite['kind'], RetainedHistory, StoredEntry | undefined, object][] = [
    ['created', 'create', history(put(11, own)), entry(11, own), { kind: 'done', revision: 11 }],
    [
      'created and changed since',
      'create',
      history(put(11, own), put(12, 3)),
      entry(12, 3),
      { kind: 'done', revision: 11 },
    ],
    [
      'created and removed since',
      'create',
      history(put(11, own), removal(12, 11)),
      undefined,
      { kind: 'done', revision: 11 },
    ],
    [
      'created by another',
      'create',
      history(put(11, 3)),
      entry(11, 3),
      { kind: 'refused', error: { code: 'exists' } },
    ],
    ['never created', 'create', history(), undefined, { kind: 'notDone' }],
    ['created, history lost', 'create', lost, entry(11, own), { kind: 'done', revision: 11 }],
    ['missing, history lost', 'create', lost, undefined, { kind: 'unknown' }],
    ['updated', 'update', history(put(11, own)), entry(11, own), { kind: 'done', revision: 11 }],
    ['unchanged', 'update', history(), entry(8, 3), { kind: 'notDone' }],
    ['unchanged, history lost', 'update', lost, entry(8, 3), { kind: 'notDone' }],
    [
      'updated by another',
      'update',
      history(put(11, 3)),
      entry(11, 3),
      { kind: 'refused', error: { code: 'conflict' } },
    ],
    [
      'removed by another',
      'update',
      history(removal(11, 8)),
      undefined,
      { kind: 'refused', error: { code: 'notFound' } },
    ],
    ['changed, history lost', 'update', lost, entry(40, 3), { kind: 'unknown' }],
    ['removed', 'delete', history(removal(11, 8)), undefined, { kind: 'removed', revision: 11 }],
    [
      'removed and made anew',
      'delete',
      history(removal(11, 8), put(12, 3)),
      entry(12, 3),
      { kind: 'removed', revision: 11 },
    ],
    [
      'changed and then removed',
      'delete',
      history(put(11, 3), removal(12, 11)),
      undefined,
      { kind: 'refused' },
    ],
    ['still there', 'delete', history(), entry(8, 3), { kind: 'notDone' }],
  ];

  test.each(cases)('%s (%s)', (...[, kind, kept, current, verdict]) => {
    expect(judgeWrite(write(kind), kept, current)).toMatchObject(verdict);
  });

  describe('when the object cannot be read now', () => {
    const unreadable = (revision: number): UnreadableEntry =>
      new UnreadableEntry({ collection: 'c', key: 'k' }, revision, 'no key decrypts it');
    const blocked: [string, GuardedWrite['kind'], RetainedHistory, number, object][] = [
      [
        'another one replaced it before',
        'update',
        history(),
        9,
        { kind: 'refused', error: { code: 'unreadable' } },
      ],
      [
        'another one replaced it before',
        'delete',
        history(),
        9,
        { kind: 'refused', error: { code: 'unreadable' } },
      ],
      ['it was there before', 'create', history(), 9, { kind: 'refused', error: { code: 'exists' } }],
      ['it is what was to be replaced', 'update', history(), 8, { kind: 'notDone' }],
      ['it changed since, perhaps by this write', 'update', history(), 12, { kind: 'unknown' }],
      ['it came since, perhaps by this write', 'create', history(), 12, { kind: 'unknown' }],
      [
        'another one replaced what this one wrote',
        'update',
        history(put(11, own)),
        12,
        { kind: 'done', revision: 11 },
      ],
    ];

    test.each(blocked)('%s (%s)', (...[, kind, kept, revision, verdict]) => {
      expect(judgeWrite(write(kind), kept, unreadable(revision))).toMatchObject(verdict);
    });
  });
});
