import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inDataFolder } from '../../../src/local-etcd/data-folder.ts';
import { refuseDatabaseInUse } from '../../../src/local-etcd/database-in-use.ts';
import { takeFileLock } from '../../../src/local-etcd/file-lock.ts';
import { asNobody } from '../../support/as-nobody.ts';
import { waitFor } from '../../support/wait-for.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';

let temporary: TempFolder;
let database: string;

beforeEach(async () => {
  temporary = await makeTempFolder('database');
  const snap = join(temporary.path, 'etcd', 'member', 'snap');
  mkdirSync(snap, { recursive: true });
  database = join(snap, 'db');
});
afterEach(() => temporary.remove());

const { signal } = new AbortController();

test('a database that nobody has locked is free, and so is one that is not there', async () => {
  await refuseDatabaseInUse(temporary.path, signal);
  writeFileSync(database, '');
  await refuseDatabaseInUse(temporary.path, signal);
});

test('a named pipe in the place of the database is not waited for', async () => {
  execFileSync('mkfifo', [database]);
  await refuseDatabaseInUse(temporary.path, signal);
});

test('a start that is called off leaves the database to others, whenever it was', async () => {
  writeFileSync(database, '');
  await refuseDatabaseInUse(temporary.path, AbortSignal.abort());
  for (const turns of [0, 1, 5, 20, 100]) {
    const stop = new AbortController();
    const checked = refuseDatabaseInUse(temporary.path, stop.signal);
    for (let i = 0; i < turns; i++) await new Promise(setImmediate);
    stop.abort();
    await checked;
    const isFree = async (): Promise<boolean> => {
      const lock = await takeFileLock(database);
      await lock?.[Symbol.asyncDispose]();
      return lock !== undefined;
    };
    await waitFor('nobody holds the database', isFree);
  }
});

const asRoot = process.getuid?.() === 0 ? test : test.skip;

asRoot('a database of another user is told as that, not as one in use', async () => {
  writeFileSync(database, '', { mode: 0o600 });
  chmodSync(temporary.path, 0o755);
  const check = (): Promise<void> => refuseDatabaseInUse(temporary.path, signal);
  await expect(asNobody(() => inDataFolder(temporary.path, check))).rejects.toThrow(
    /the data folder .* cannot be used \(.*member\/snap\/db: permission denied\); make it writable/,
  );
});
