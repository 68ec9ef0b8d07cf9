import { namingProfiles } from '../../../src/meta/naming.ts';
import { StatusError } from '../../../src/meta/status.ts';
import { encodeContinueToken } from '../../../src/registry/read/continue-token.ts';
import {
  getFreshness,
  listStart,
  watchBegin,
  withoutChunks,
} from '../../../src/registry/read/resource-version-match.ts';
import type { ListOptions, WatchQuery } from '../../../src/registry/types.ts';

const naming = namingProfiles.orch;
const token = encodeContinueToken({ revision: 5, after: 'x' });

const mostRecent = { kind: 'mostRecent' };
const any = { kind: 'any' };
const notOlder = { kind: 'notOlderThan', revision: 7 };
const exact = { kind: 'exact', revision: 7 };
const ofToken = { kind: 'exact', revision: 5 };

function answer(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error instanceof StatusError ? error.code : error;
  }
}

function causesOf(act: () => unknown): string[] {
  try {
    act();
  } catch (error) {
    if (error instanceof StatusError)
      return (error.status.details?.causes ?? []).map(({ message }) => message ?? '');
  }
  return [];
}

/** The get table of the specification. */
describe('get', () => {
  test.each([
    { rv: '', want: mostRecent },
    { rv: '0', want: any },
    { rv: '7', want: notOlder },
    { rv: 'x', want: 400 },
    { rv: '-1', want: 400 },
    { rv: '1.5', want: 400 },
    { rv: '18446744073709551615', want: { kind: 'notOlderThan', revision: Infinity } },
  ])('resourceVersion=$rv', ({ rv, want }) => {
    expect(answer(() => getFreshness(rv))).toEqual(want);
  });
});

/** The list table of the specification, cell by cell; 422 where a match is not allowed. */
describe('list', () => {
  const cells: { match: string; limit: number; next: string; rv: string; want: unknown }[] = [
    { match: '', limit: 0, next: '', rv: '', want: mostRecent },
    { match: '', limit: 0, next: '', rv: '0', want: any },
    { match: '', limit: 0, next: '', rv: '7', want: notOlder },
    { match: '', limit: 3, next: '', rv: '', want: mostRecent },
    { match: '', limit: 3, next: '', rv: '0', want: any },
    { match: '', limit: 3, next: '', rv: '7', want: exact },
    { match: '', limit: 3, next: token, rv: '', want: ofToken },
    { match: '', limit: 3, next: token, rv: '0', want: ofToken },
    { match: '', limit: 3, next: token, rv: '7', want: 400 },
    { match: 'Exact', limit: 0, next: '', rv: '', want: 422 },
    { match: 'Exact', limit: 0, next: '', rv: '0', want: 422 },
    { match: 'Exact', limit: 0, next: '', rv: '7', want: exact },
    { match: 'Exact', limit: 3, next: '', rv: '', want: 422 },
    { match: 'Exact', limit: 3, next: '', rv: '0', want: 422 },
    { match: 'Exact', limit: 3, next: '', rv: '7', want: exact },
    { match: 'NotOlderThan', limit: 0, next: '', rv: '', want: 422 },
    { match: 'NotOlderThan', limit: 0, next: '', rv: '0', want: any },
    { match: 'NotOlderThan', limit: 0, next: '', rv: '7', want: notOlder },
    { match: 'NotOlderThan', limit: 3, next: '', rv: '', want: 422 },
    { match: 'NotOlderThan', limit: 3, next: '', rv: '0', want: any },
    { match: 'NotOlderThan', limit: 3, next: '', rv: '7', want: notOlder },
    { match: 'Exact', limit: 3, next: token, rv: '', want: 422 },
    { match: 'Sometimes', limit: 0, next: '', rv: '7', want: 422 },
    { match: '', limit: 3, next: 'garbage!', rv: '', want: 400 },
    { match: '', limit: 3, next: 'e30', rv: '', want: 400 },
    { match: '', limit: 0, next: '', rv: 'x', want: 400 },
  ];
  test.each(cells)(
    'match=$match limit=$limit continue=$next resourceVersion=$rv',
    ({ match, limit, next, rv, want }) => {
      const options: ListOptions = {
        ...{ labelSelector: '', fieldSelector: '' },
        ...{ resourceVersion: rv, resourceVersionMatch: match, limit, continue: next },
      };
      expect(answer(() => listStart(options, naming).freshness)).toEqual(want);
    },
  );

  test('version 0 ignores the limit, as the reference does', () => {
    const options = {
      labelSelector: '',
      fieldSelector: '',
      resourceVersion: '0',
      resourceVersionMatch: '',
      limit: 3,
      continue: '',
    };
    expect(listStart(options, naming).limit).toBe(0);
  });

  test('initial events are forbidden, besides all else that is wrong', () => {
    const options: ListOptions = {
      ...{ labelSelector: '', fieldSelector: '', resourceVersion: '', resourceVersionMatch: 'Sometimes' },
      ...{ limit: 0, continue: token, sendInitialEvents: false },
    };
    expect(causesOf(() => listStart(options, naming))).toEqual([
      expect.stringContaining('unless resourceVersion is provided'),
      expect.stringContaining('when continue is provided'),
      expect.stringContaining('supported values: "Exact", "NotOlderThan"'),
      expect.stringContaining('sendInitialEvents is forbidden for list'),
    ]);
  });

  test('without the gate for chunks a limit and a token are as if not sent', () => {
    const options: ListOptions = {
      ...{ labelSelector: '', fieldSelector: '', resourceVersion: '7', resourceVersionMatch: '', limit: 3 },
      continue: encodeContinueToken({ revision: 5, after: 'x' }),
    };
    expect(listStart(withoutChunks(options), naming)).toEqual({
      freshness: notOlder,
      limit: 0,
      token: undefined,
    });
  });

  test('a token of an inconsistent continuation reads the newest state', () => {
    const options: ListOptions = {
      ...{ labelSelector: '', fieldSelector: '', resourceVersion: '', resourceVersionMatch: '', limit: 3 },
      continue: encodeContinueToken({ revision: undefined, after: 'x' }),
    };
    expect(listStart(options, naming).freshness).toEqual(mostRecent);
  });
});

/** The watch table of the specification, and streaming lists. */
describe('watch', () => {
  const after = { kind: 'after', revision: 7 };
  const state = (freshness: unknown): unknown => ({ kind: 'stateThenChanges', freshness });
  const cells: { rv: string; match?: string; initial?: boolean; want: unknown; state?: string }[] = [
    { rv: '', want: state(mostRecent), state: 'sent' },
    { rv: '0', want: state(any), state: 'sent' },
    { rv: '7', want: after },
    { rv: 'x', want: 400 },
    { rv: '7', match: 'NotOlderThan', want: 422 },
    { rv: '', match: 'NotOlderThan', initial: true, want: state(mostRecent), state: 'announced' },
    { rv: '0', match: 'NotOlderThan', initial: true, want: state(any), state: 'announced' },
    { rv: '7', match: 'NotOlderThan', initial: true, want: state(notOlder), state: 'announced' },
    { rv: '', match: 'NotOlderThan', initial: false, want: state(mostRecent), state: 'skipped' },
    { rv: '0', match: 'NotOlderThan', initial: false, want: state(any), state: 'skipped' },
    { rv: '7', match: 'NotOlderThan', initial: false, want: after },
    { rv: '', initial: true, want: 422 },
    { rv: '', match: 'Exact', initial: true, want: 422 },
  ];
  const asked = { labelSelector: '', fieldSelector: '', allowWatchBookmarks: true, name: '' };

  test.each(cells)(
    'resourceVersion=$rv match=$match sendInitialEvents=$initial',
    ({ rv, match, initial, want, state: told }) => {
      const query: WatchQuery = {
        ...asked,
        ...{ resourceVersion: rv, resourceVersionMatch: match ?? '', sendInitialEvents: initial },
      };
      expect(answer(() => watchBegin(query, naming, 'served').start)).toEqual(want);
      if (told !== undefined) expect(watchBegin(query, naming, 'served').initial).toBe(told);
    },
  );

  test('a state is sent to a client that wants no bookmarks, and its end is not told', () => {
    const query = { ...asked, resourceVersion: '', resourceVersionMatch: 'NotOlderThan' };
    const begin = { ...query, allowWatchBookmarks: false, sendInitialEvents: true };
    expect(watchBegin(begin, naming, 'served')).toEqual({ start: state(mostRecent), initial: 'sent' });
  });

  // Texts of the validation of ListOptions, releases 1.26 and 1.27.
  test.each([
    ['unknown', 'NotOlderThan', undefined, ['resourceVersionMatch is forbidden for watch']],
    [
      'refused',
      'NotOlderThan',
      true,
      ['sendInitialEvents is forbidden for watch unless the WatchList feature gate'],
    ],
    [
      'refused',
      '',
      false,
      ['requires setting resourceVersionMatch to NotOlderThan', 'unless the WatchList feature'],
    ],
    [
      'served',
      'Exact',
      undefined,
      ['unless sendInitialEvents is provided', 'supported values: "NotOlderThan"'],
    ],
  ] as const)('%s: match %s, sendInitialEvents %s', (streaming, match, sendInitialEvents, want) => {
    const query = { ...asked, resourceVersion: '7', resourceVersionMatch: match, sendInitialEvents };
    expect(() => watchBegin(query, naming, streaming)).toThrow(StatusError);
    const said = causesOf(() => watchBegin(query, naming, streaming));
    expect(said).toEqual(want.map((text) => expect.stringContaining(text) as unknown));
  });
});
