/** Which members are asked, and which cluster is followed. */
import { judge, type Sighting } from '../../../../src/storage/etcd/census.ts';

const [own, other] = [0xa1, 0xb2];

/** `A` and `B` are members of the two clusters that answer, small letters are away; `l` is a learner. */
function members(...words: readonly string[]): Sighting[] {
  return words.map((word, i) => ({
    url: `http://m${String(i)}`,
    cluster: { a: own, b: other }[word[0]?.toLowerCase() ?? ''],
    isUp: /^[AB]/.test(word),
    isLearner: word.includes('l'),
  }));
}

interface Expected {
  readonly cluster: number | undefined;
  readonly used: string;
}

const cases: [string, readonly string[], number | undefined, Expected][] = [
  ['at the start the cluster that all name', ['A', 'A', '-'], undefined, { cluster: own, used: 'yyy' }],
  ['at the start none if they differ', ['A', 'A', 'B'], undefined, { cluster: undefined, used: 'nnn' }],
  ['at the start none if none answers', ['-', '-'], undefined, { cluster: undefined, used: 'yy' }],
  ['a learner is left out', ['A', 'Al', 'A'], own, { cluster: own, used: 'yny' }],
  ['a stranger is left out', ['A', 'A', 'B'], own, { cluster: own, used: 'yyn' }],
  [
    'a stranger is not followed when the own cluster is away',
    ['a', 'a', 'B'],
    own,
    { cluster: own, used: 'yyn' },
  ],
  [
    'as long as one member answers for the old cluster, that is kept',
    ['B', 'B', 'A'],
    own,
    { cluster: own, used: 'nny' },
  ],
  [
    'one member that is of another cluster now is not enough',
    ['B', 'a', 'a'],
    own,
    { cluster: own, used: 'nyy' },
  ],
  ['most members lead to their new cluster', ['B', 'B', 'a'], own, { cluster: other, used: 'yyn' }],
  ['a single member that was replaced', ['B'], own, { cluster: other, used: 'y' }],
];

test.each(cases)('%s', (_, words, followed, { cluster, used }) => {
  const result = judge(members(...words), followed);
  expect(result.cluster).toBe(cluster);
  expect(result.standings.map((standing) => (standing === '' ? 'y' : 'n')).join('')).toBe(used);
});

test('clusters that answer at once are named, with their members', () => {
  expect(judge(members('A', 'B'), undefined).conflict).toBe(
    'etcd members of different clusters are named, none is used: http://m0 is of a1, http://m1 is of b2',
  );
  expect(judge(members('A', 'A', 'b'), own).conflict).toBe('');
});
