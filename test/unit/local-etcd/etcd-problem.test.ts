/** What is said about an etcd that ended, by its log. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { etcdProblem } from '../../../src/local-etcd/etcd-problem.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';

let temporary: TempFolder;

beforeAll(async () => {
  temporary = await makeTempFolder('etcd-problem');
});
afterAll(() => temporary.remove());

async function problemOf(...lines: readonly string[]): Promise<string> {
  const log = join(temporary.path, 'etcd.log');
  writeFileSync(log, `${lines.join('\n')}\n`);
  return etcdProblem(log, 0);
}

const panic =
  '{"level":"panic","msg":"failed to open database","path":"member/snap/db","error":"cannot allocate memory"}';

test('memory that etcd does not get is named, though its last word is another', async () => {
  const said = await problemOf(panic, 'panic: failed to open database', 'goroutine 1 [running]:');
  expect(said).toMatch(/it gets too little memory: raise the limit .*; panic: failed to open database$/);
});

test('a limit on the size of files is named', async () => {
  const wal = '{"level":"panic","msg":"failed to create WAL","error":"file too large"}';
  const said = await problemOf(wal, 'panic: failed to create WAL');
  expect(said).toMatch(/raise the limit \(ulimit -f\); panic: failed to create WAL$/);
});

test('a limit is named once, and only where etcd complains about it', async () => {
  const few = 'panic: file descriptor limit[64] of etcd process is too low';
  expect((await problemOf(few, few)).match(/too few files may be open/g)).toHaveLength(1);
  expect(await problemOf('{"level":"info","msg":"ready"}')).toBe('it logged no error');
});
