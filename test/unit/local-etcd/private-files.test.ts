import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { silentLogger } from '../../../src/observe/log.ts';
import { keepPrivate } from '../../../src/local-etcd/private-files.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';

let temporary: TempFolder;
beforeEach(async () => {
  temporary = await makeTempFolder('private');
});
afterEach(() => temporary.remove());

const at = (name: string): string => join(temporary.path, name);
const modeOf = (name: string): string => (statSync(at(name)).mode & 0o777).toString(8);

test('folders, keys and kubeconfigs that were left open are closed, and each is a warning', async () => {
  for (const name of ['pki', 'etcd']) mkdirSync(at(name));
  for (const name of ['kubeconfig', 'kubeconfig-6443', 'pki/ca.key', 'pki/ca.crt']) {
    writeFileSync(at(name), '');
    chmodSync(at(name), 0o644);
  }
  for (const name of ['', 'pki', 'etcd']) chmodSync(at(name), 0o755);
  const warned: unknown[] = [];
  const logger = {
    ...silentLogger,
    warn: (_message: string, fields: object = {}) => void warned.push(fields),
  };
  await keepPrivate(temporary.path, logger);
  expect(['', 'pki', 'etcd'].map(modeOf)).toEqual(['700', '700', '700']);
  expect(['kubeconfig', 'kubeconfig-6443', 'pki/ca.key'].map(modeOf)).toEqual(['600', '600', '600']);
  // Certificates are no secrets.
  expect(modeOf('pki/ca.crt')).toBe('644');
  expect(warned).toHaveLength(6);
  await keepPrivate(temporary.path, logger);
  expect(warned).toHaveLength(6);
});

test('what is not there is no matter', async () => {
  await keepPrivate(at('none'), silentLogger);
});
