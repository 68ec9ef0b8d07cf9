/** Files that run beside each other set up what they share one after the other. */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { oneAtATime } from '../../support/one-at-a-time.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';

let folder: TempFolder;
beforeEach(async () => {
  folder = await makeTempFolder('lock');
});
afterEach(() => folder.remove());

test('work of one name is never done twice at once', async () => {
  const lock = join(folder.path, 'below', 'lock');
  let [atOnce, most] = [0, 0];
  const work = async (): Promise<void> => {
    atOnce += 1;
    most = Math.max(most, atOnce);
    await writeFile(join(folder.path, 'some'), 'work');
    atOnce -= 1;
  };
  await Promise.all([oneAtATime(lock, work), oneAtATime(lock, work), oneAtATime(lock, work)]);
  expect(most).toBe(1);
  expect(existsSync(lock)).toBe(false);
});

test('work that fails leaves the place to the next', async () => {
  const lock = join(folder.path, 'lock');
  await expect(oneAtATime(lock, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await oneAtATime(lock, () => Promise.resolve('done'))).toBe('done');
});

test('a process that was killed holds nobody', async () => {
  const lock = join(folder.path, 'lock');
  // No process has it: Linux gives none above 4,194,304.
  await writeFile(lock, '999999999');
  expect(await oneAtATime(lock, () => Promise.resolve('done'))).toBe('done');
});
