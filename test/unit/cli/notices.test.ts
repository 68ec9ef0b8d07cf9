import { notifierOf } from '../../../src/cli/io.ts';

const notice = { message: 'Serving.', fields: { url: 'https://a' }, hints: ['Try:', '  this'] };

function said(isTerminal: boolean): { out: string[]; err: string[] } {
  const [out, err]: string[][] = [[], []];
  const io = {
    out: (line: string) => out?.push(line),
    err: (line: string) => err?.push(line),
    record: (line: string) => err?.push(line),
    isTerminal,
  };
  notifierOf(io)(notice);
  return { out: out ?? [], err: err ?? [] };
}

test('a person at a terminal reads lines', () => {
  expect(said(true)).toEqual({ out: ['Serving.', 'Try:', '  this'], err: [] });
});

test('elsewhere it is a record of the log', () => {
  const { out, err } = said(false);
  expect(out).toEqual([]);
  expect(err.map((line) => JSON.parse(line) as object)).toEqual([
    { level: 'info', time: expect.any(String) as string, url: 'https://a', msg: 'Serving.' },
  ]);
});
