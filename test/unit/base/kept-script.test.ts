/** Compiled code of a script is kept for the next process, and never taken for another text. */
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KeptScript } from '../../../src/base/kept-script.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

let folder: Awaited<ReturnType<typeof makeTempFolder>>;
let path: string;

beforeEach(async () => {
  folder = await makeTempFolder('kept-script');
  path = join(folder.path, 'script.cjs');
  write('one');
});
afterEach(() => folder.remove());

function write(answer: string): void {
  const uses = `exports.answer = () => '${answer}' + require('node:path').basename(__filename);`;
  writeFileSync(path, `(function (exports, require, module, __filename, __dirname) {\n${uses}\n})`);
}

function load(): { readonly script: KeptScript; readonly answer: string } {
  const script = new KeptScript(path, folder.path);
  const { answer } = script.run() as { readonly answer: () => string };
  return { script, answer: answer() };
}

const keptFiles = (): string[] => readdirSync(folder.path).filter((name) => name !== 'script.cjs');

test('the code of functions that have run is there the next time', () => {
  const { script, answer } = load();
  expect([script.stage, answer]).toEqual([0, 'onescript.cjs']);
  script.keep(1);
  expect(keptFiles()).toHaveLength(1);
  const next = load();
  expect([next.script.stage, next.answer]).toEqual([1, 'onescript.cjs']);
  next.script.keep(1);
  expect(keptFiles()).toHaveLength(1);
});

test('what ran later is kept, too, and stays where less has run', () => {
  const { script } = load();
  script.keep(1);
  script.keep(2);
  const next = load();
  expect([next.script.stage, next.answer]).toEqual([2, 'onescript.cjs']);
  next.script.keep(1);
  expect(load().script.stage).toBe(2);
});

test('another text of equal length has none, and takes the place of the former one', () => {
  load().script.keep(1);
  const former = keptFiles();
  write('two');
  utimesSync(path, 1, 1);
  const { script, answer } = load();
  expect([script.stage, answer]).toEqual([0, 'twoscript.cjs']);
  script.keep(1);
  expect(keptFiles()).toHaveLength(1);
  expect(keptFiles()).not.toEqual(former);
});

test.each([
  ['cut', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
  ['empty', () => Buffer.alloc(0)],
  [
    'changed',
    (bytes: Buffer) => Buffer.from(bytes.map((byte, at) => (at === bytes.length - 9 ? byte ^ 1 : byte))),
  ],
])('code that is damaged (%s) is not taken, and made again', (_, damage) => {
  load().script.keep(1);
  const [name = ''] = keptFiles();
  const file = join(folder.path, name);
  writeFileSync(file, damage(readFileSync(file)));
  const { script, answer } = load();
  expect([script.stage, answer]).toEqual([0, 'onescript.cjs']);
  script.keep(1);
  expect(load().script.stage).toBe(1);
});

test('a folder that is not there keeps nothing', () => {
  const script = new KeptScript(path, join(folder.path, 'missing'));
  script.run();
  script.keep(1);
  expect(keptFiles()).toEqual([]);
});
