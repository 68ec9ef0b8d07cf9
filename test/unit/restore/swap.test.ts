/** The swap, stopped after each of its steps as a killed process leaves it. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { finishSwap, isUnfinished, swapData } from '../../../src/restore/swap.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';

const from = 'work/member';
const aside = 'member.before-restore-x';
let temporary: TempFolder;
let folder: string;

beforeEach(async () => {
  temporary = await makeTempFolder('swap');
  folder = temporary.path;
  for (const [path, text] of Object.entries({ member: 'old', [from]: 'new' })) {
    mkdirSync(join(folder, path), { recursive: true });
    writeFileSync(join(folder, path, 'db'), text);
  }
});
afterEach(() => temporary.remove());

const dataIn = (name: string): string => readFileSync(join(folder, name, 'db'), 'utf8');
const write = (text: string): void => writeFileSync(join(folder, 'proxy'), text);
const plan = JSON.stringify({ note: '', from, aside });

test('the new data is in place, the old has a dated name, and the plan is gone', async () => {
  const kept = await swapData(folder, from, new Date('2026-01-02T03:04:05.678Z'));
  expect(kept).toBe('member.before-restore-2026-01-02T03-04-05.678Z');
  expect([dataIn('member'), dataIn(kept)]).toEqual(['new', 'old']);
  expect(readdirSync(folder).sort()).toEqual(['member', kept, 'work'].sort());
});

test('where there is no old data, none is kept', async () => {
  rmSync(join(folder, 'member'), { recursive: true });
  expect(await swapData(folder, from, new Date())).toBe('');
  expect(dataIn('member')).toBe('new');
});

test('without a plan there is nothing to finish', async () => {
  expect(await finishSwap(folder)).toBeUndefined();
  expect(await finishSwap(join(folder, 'missing'))).toBeUndefined();
  mkdirSync(join(folder, 'proxy'));
  expect(await finishSwap(folder)).toBeUndefined();
  expect(dataIn('member')).toBe('old');
});

const steps: readonly [string, () => void][] = [
  ['the plan is written', () => undefined],
  ['the old data is renamed', () => renameSync(join(folder, 'member'), join(folder, aside))],
  ['the new data is renamed', () => renameSync(join(folder, from), join(folder, 'member'))],
];

test.each(steps.map(([name], i) => [name, i] as const))(
  'stopped when %s, it is finished',
  async (_, last) => {
    for (const [, step] of steps.slice(0, last + 1)) step();
    write(plan);
    expect(await finishSwap(folder)).toBe(aside);
    expect([dataIn('member'), dataIn(aside)]).toEqual(['new', 'old']);
    expect(existsSync(join(folder, 'proxy'))).toBe(false);
    expect(await finishSwap(folder)).toBeUndefined();
  },
);

test('where the new data is gone, the old is put back: etcd would start an empty cluster', async () => {
  write(plan);
  renameSync(join(folder, 'member'), join(folder, aside));
  rmSync(join(folder, from), { recursive: true });
  expect(await isUnfinished(folder)).toBe(true);
  expect(await finishSwap(folder)).toBe('');
  expect(dataIn('member')).toBe('old');
  expect(await isUnfinished(folder)).toBe(false);
});

test('a swap whose second rename fails is undone', async () => {
  // It lies in what the first rename moves.
  mkdirSync(join(folder, 'member', 'new'));
  await expect(swapData(folder, 'member/new', new Date())).rejects.toThrow('ENOENT');
  expect(dataIn('member')).toBe('old');
  expect(readdirSync(folder).sort()).toEqual(['member', 'work']);
});
