/** Links of pages, in pieces of any size, and pages that are made to cost much. */
import { cpuBudget, threadCpuMs } from '../../support/cpu-time.ts';
import { HtmlLinks } from '../../../src/proxy/html-links.ts';

const prefix = (link: string): string => (link.startsWith('/') ? `/m${link}` : link);

async function rewritten(pieces: readonly Buffer[]): Promise<string> {
  const links = new HtmlLinks(prefix);
  const out: Buffer[] = [];
  links.on('data', (chunk: Buffer) => out.push(chunk));
  for (const piece of pieces) links.write(piece);
  const ended = new Promise((resolve) => links.once('end', resolve));
  links.end();
  await ended;
  return Buffer.concat(out).toString();
}

const pages: [string, string][] = [
  ['<a href="/x">', '<a href="/m/x">'],
  ["<A HREF = '/x' class=y>", '<A HREF = "/m/x" class=y>'],
  ['<a href=/x>t</a>', '<a href="/m/x">t</a>'],
  ['<a href="x">', '<a href="x">'],
  ['<a title=">" href="/x">', '<a title=">" href="/m/x">'],
  ['<a data-href="/x">', '<a data-href="/x">'],
  ['<p href="/x">', '<p href="/x">'],
  ['<img src="/a" longdesc=/b alt>', '<img src="/m/a" longdesc="/m/b" alt>'],
  ['<!-- <a href="/x"> --><a href="/y">', '<!-- <a href="/x"> --><a href="/m/y">'],
  [
    '<script src="/s">"<a href=\'/x\'>"</script><a href="/y">',
    '<script src="/m/s">"<a href=\'/x\'>"</script><a href="/m/y">',
  ],
  ['<title><a href="/x"></TITLE><a href="/y">', '<title><a href="/x"></TITLE><a href="/m/y">'],
  ['a < b <a href="/x"> ü <', 'a < b <a href="/m/x"> ü <'],
  ['<a href="/x', '<a href="/x'],
  [
    '<form action="/f" method=post><input formaction="/g">',
    '<form action="/m/f" method=post><input formaction="/m/g">',
  ],
];

test.each(pages)('%s becomes %s, whole and byte by byte', async (page, expected) => {
  const bytes = Buffer.from(page);
  expect(await rewritten([bytes])).toBe(expected);
  expect(await rewritten([...bytes].map((byte) => Buffer.from([byte])))).toBe(expected);
});

test('a tag beyond its limit passes as it is, and what follows is looked at again', async () => {
  const long = `<img src="data:${'x'.repeat(20_000)}">`;
  expect(await rewritten([Buffer.from(`${long}<a href="/x">`)])).toBe(`${long}<a href="/m/x">`);
});

const costly: [string, string][] = [
  ['beginnings of tags', '<a '],
  ['beginnings of tags in quotes', '<a "'],
  ['names without values', `<a ${'x '.repeat(4_000)}>`],
  ['spaces without values', `<a x${' '.repeat(8_000)}>`],
  ['comments that do not end', '<!--'],
  ['ends of raw text that are none', '<script></scrip'],
];
test.each(costly)('%s cost no more than in proportion', async (_what, unit) => {
  const whole = Buffer.from(unit.repeat(2_000_000 / unit.length));
  const pieces = Array.from({ length: Math.ceil(whole.length / 65_536) }, (_piece, i) =>
    whole.subarray(i * 65_536, (i + 1) * 65_536),
  );
  const budget = cpuBudget(1_500);
  const started = threadCpuMs();
  await rewritten(pieces);
  expect(threadCpuMs() - started).toBeLessThan(budget);
});
