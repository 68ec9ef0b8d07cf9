/** What a service gets of a PKI folder: the files that are named, as they are now. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sharePki } from '../../../src/pki/shares.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';

let temporary: TempFolder;
const at = (name: string): string => join(temporary.path, name);

beforeAll(async () => {
  temporary = await makeTempFolder('shares');
  mkdirSync(at('pki'));
  for (const name of ['ca.crt', 'ca.key', 'server.crt', 'server.key']) writeFileSync(at(`pki/${name}`), name);
});
afterAll(() => temporary.remove());

const share = (): Promise<void> =>
  sharePki(at('pki'), { folder: at('to/one'), files: ['ca.crt', 'server.key'] });

test('those files and no others; keys are for owner and group', async () => {
  await share();
  expect(readdirSync(at('to/one')).sort()).toEqual(['ca.crt', 'server.key']);
  const modes = ['ca.crt', 'server.key'].map((name) => statSync(at(`to/one/${name}`)).mode & 0o777);
  expect(modes).toEqual([0o644, 0o640]);
});

test('what is the same stays, what changed is exchanged', async () => {
  const before = statSync(at('to/one/ca.crt')).ino;
  writeFileSync(at('pki/server.key'), 'another');
  await share();
  expect(statSync(at('to/one/ca.crt')).ino).toBe(before);
  expect(readFileSync(at('to/one/server.key'), 'utf8')).toBe('another');
});

test('a missing file is reported', async () => {
  await expect(sharePki(at('pki'), { folder: at('to/two'), files: ['none.key'] })).rejects.toThrow(
    /has no none\.key to share; correct --share/,
  );
});
