import { parseCsv } from '../../../src/authn/csv.ts';

const good: { name: string; text: string; want: string[][] }[] = [
  { name: 'plain fields', text: 'a,b,c\n', want: [['a', 'b', 'c']] },
  { name: 'no line end at the end of the file', text: 'a,b', want: [['a', 'b']] },
  { name: 'empty fields', text: ',b,\n', want: [['', 'b', '']] },
  { name: 'quoted commas', text: 'a,"b,c"\n', want: [['a', 'b,c']] },
  { name: 'doubled quotes', text: '"say ""x""",b\n', want: [['say "x"', 'b']] },
  {
    name: 'a quoted line end',
    text: '"a\nb",c\nd,e\n',
    want: [
      ['a\nb', 'c'],
      ['d', 'e'],
    ],
  },
  { name: 'empty lines between records', text: 'a\n\n\nb\n', want: [['a'], ['b']] },
  {
    name: 'line ends of another system and a byte order mark',
    text: '\uFEFFa,b\r\nc,d\r\n',
    want: [
      ['a', 'b'],
      ['c', 'd'],
    ],
  },
  { name: 'an empty quoted field', text: '"",b\n', want: [['', 'b']] },
  { name: 'an empty file', text: '', want: [] },
];

test.each(good)('reads $name', ({ text, want }) => {
  const result = parseCsv(text);
  expect(result.records.map((record) => record.fields)).toEqual(want);
  expect(result.errors).toEqual([]);
});

test('returns the line on which each record starts', () => {
  expect(parseCsv('"a\nb"\n\nc\n').records.map((record) => record.line)).toEqual([1, 4]);
});

test('reports every error with its line and still reads the other records', () => {
  const result = parseCsv('a"b,c\ngood,line\n"x"y,z\nlast,"open\nstill');
  expect(result.errors).toEqual([
    { line: 1, problem: 'a quote inside a field that is not quoted' },
    { line: 3, problem: 'text after a closing quote' },
    { line: 4, problem: 'the closing quote is missing' },
  ]);
  expect(result.records.map((record) => record.fields)).toEqual([['good', 'line']]);
});
