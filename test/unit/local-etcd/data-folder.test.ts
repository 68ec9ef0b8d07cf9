import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, readFileSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartError } from '../../../src/base/start-error.ts';
import { inDataFolder, lockDataFolder, openDataFolder } from '../../../src/local-etcd/data-folder.ts';
import { identify, isRunning, parseIdentity } from '../../../src/local-etcd/process-identity.ts';
import { asNobody } from '../../support/as-nobody.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';

let temporary: TempFolder;
let lock: string;

beforeEach(async () => {
  temporary = await makeTempFolder('data');
  lock = join(temporary.path, 'instance.lock');
});
afterEach(() => temporary.remove());

const others: ChildProcess[] = [];
afterEach(() => {
  for (const child of others.splice(0)) child.kill('SIGKILL');
});

/** A process that runs until `end` is called, at the latest until the test is over. */
async function otherProcess(): Promise<{ pid: number; end: () => Promise<void> }> {
  const child = spawn('cat', { stdio: ['pipe', 'ignore', 'ignore'] });
  others.push(child);
  await new Promise((resolve) => child.once('spawn', resolve));
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => {
      resolve();
    });
  });
  const end = (): Promise<void> => {
    child.stdin.end();
    return gone;
  };
  return { pid: child.pid ?? 0, end };
}

test('what processes left unfinished that were killed is removed, and what one may still write is not', async () => {
  const left = [
    'kubeconfig.71.new',
    'kubeconfig-6443.71.new',
    '.probe.71',
    'instance.lock.71',
    'instance.lock.71.stale',
  ];
  const others = ['etcd-address', 'instance.lock', 'kubeconfig', 'kubeconfig.72.new', 'notes.71.new'];
  for (const name of [...left, ...others]) await writeFile(join(temporary.path, name), 'text');
  const longAgo = new Date(Date.now() - 61_000);
  for (const name of [...left, 'kubeconfig', 'notes.71.new'])
    utimesSync(join(temporary.path, name), longAgo, longAgo);
  await openDataFolder(temporary.path);
  expect(readdirSync(temporary.path).sort()).toEqual(others);
});

test('a lock names its process and goes away when it is given back', async () => {
  const release = await lockDataFolder(temporary.path);
  expect(parseIdentity(readFileSync(lock, 'utf8'))).toEqual(await identify(process.pid));
  await release();
  expect(readdirSync(temporary.path)).toEqual([]);
});

test('a folder of a running process is refused, and its lock stays', async () => {
  const other = await otherProcess();
  const text = JSON.stringify(await identify(other.pid));
  writeFileSync(lock, text);
  await expect(lockDataFolder(temporary.path)).rejects.toThrow(`process ${String(other.pid)} already runs`);
  expect(readFileSync(lock, 'utf8')).toBe(text);
  await other.end();
});

test('a lock of a dead process is taken over', async () => {
  const other = await otherProcess();
  writeFileSync(lock, JSON.stringify(await identify(other.pid)));
  await other.end();
  await (
    await lockDataFolder(temporary.path)
  )();
  expect(readdirSync(temporary.path)).toEqual([]);
});

test.each(['', 'no json', '{"pid":1}', '{"pid":-1,"started":""}'])(
  'a lock of %p binds nobody',
  async (text) => {
    writeFileSync(lock, text);
    await (
      await lockDataFolder(temporary.path)
    )();
  },
);

test('a named pipe in the place of the lock is not waited for', async () => {
  execFileSync('mkfifo', [lock]);
  await (
    await lockDataFolder(temporary.path)
  )();
  expect(readdirSync(temporary.path)).toEqual([]);
});

const asRoot = process.getuid?.() === 0 ? test : test.skip;

asRoot('a stale lock of another user, who lets nobody remove it, is an error', async () => {
  writeFileSync(lock, '{}');
  chmodSync(temporary.path, 0o1777);
  const error: unknown = await asNobody(() => lockDataFolder(temporary.path)).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ code: 'EPERM', syscall: 'rename' });
  expect(readdirSync(temporary.path)).toEqual(['instance.lock']);
});

test('a later process with the same number is not the one that was meant', async () => {
  const other = await otherProcess();
  const identity = await identify(other.pid);
  expect(await isRunning(identity)).toBe(true);
  if (identity.started !== '') expect(await isRunning({ ...identity, started: '1' })).toBe(false);
  await other.end();
  expect(await isRunning(identity)).toBe(false);
});

test('a folder is made where it is missing, and a place that cannot be one is told', async () => {
  await openDataFolder(join(temporary.path, 'a', 'b'));
  writeFileSync(join(temporary.path, 'file'), '');
  const error: unknown = await openDataFolder(join(temporary.path, 'file', 'x')).catch(
    (thrown: unknown) => thrown,
  );
  expect(error instanceof StartError && error.errors[0]?.code).toBe('DATA_FOLDER_UNUSABLE');
});

test('what the system refuses in the folder is told with the place; other errors stay as they are', async () => {
  const folder = temporary.path;
  const refused = (work: () => Promise<unknown>): Promise<unknown> =>
    inDataFolder(folder, work).then(
      () => 'no error',
      (error: unknown) => (error instanceof Error ? error.message : error),
    );
  expect(await refused(() => writeFile('/dev/full', 'x'))).toMatch(/cannot be used \(no space left\)/);
  writeFileSync(join(folder, 'etcd'), '');
  expect(await refused(() => mkdir(join(folder, 'etcd')))).toMatch(/cannot be used \(.*etcd: /);
  expect(await refused(() => Promise.reject(new TypeError('a bug')))).toBe('a bug');
});
