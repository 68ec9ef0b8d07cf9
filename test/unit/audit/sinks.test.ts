import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BlockingSink } from '../../../src/audit/blocking-sink.ts';
import { BufferedSink, type BatchOptions } from '../../../src/audit/buffered-sink.ts';
import { daysInMs, LogFile } from '../../../src/audit/log-file.ts';
import type { AuditWriter } from '../../../src/audit/writer.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

let folder: TempFolder;
beforeAll(async () => {
  folder = await makeTempFolder('audit');
});
afterAll(() => folder.remove());

let files = 0;
function freshFile(): { readonly dir: string; readonly path: string } {
  const dir = join(folder.path, String(++files));
  mkdirSync(dir);
  return { dir, path: join(dir, 'audit.log') };
}

const batch: BatchOptions = { bufferSize: 1_000, maxSize: 7, maxWaitMs: 0, throttle: undefined };

/** Writes when it is let. */
class HeldWriter implements AuditWriter {
  readonly batches: (readonly string[])[] = [];
  private readonly held: { resolve: () => void; reject: (error: Error) => void }[] = [];

  write(lines: readonly string[]): Promise<void> {
    this.batches.push(lines);
    return new Promise((resolve, reject) => this.held.push({ resolve, reject }));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async next(how: 'written' | 'failed' = 'written'): Promise<void> {
    await waitFor('a batch', () => this.held.length > 0);
    const next = this.held.shift();
    if (how === 'written') next?.resolve();
    else next?.reject(new Error('no space'));
  }
}

test('everything that was taken is in the file when the sink is closed, in order', async () => {
  const { path } = freshFile();
  const options = { path, maxBytes: 1e9, maxAgeMs: 0, maxBackups: 0 };
  const sink = new BufferedSink('log', batch, { writer: new LogFile(options), lost: fail });
  const lines = Array.from({ length: 500 }, (_, i) => JSON.stringify({ i }));
  for (const line of lines) sink.take(line);
  await sink.close();
  expect(readFileSync(path, 'utf8').trimEnd().split('\n')).toEqual(lines);
});

test('a full buffer drops the newest and tells of each; nobody waits', async () => {
  const writer = new HeldWriter();
  const lost: number[] = [];
  const sink = new BufferedSink(
    'log',
    { ...batch, bufferSize: 3, maxSize: 1 },
    { writer, lost: (events) => lost.push(events) },
  );
  sink.take('0');
  await waitFor('the first to be written', () => writer.batches.length === 1);
  for (const line of ['1', '2', '3', '4', '5']) sink.take(line);
  expect(lost).toEqual([1, 1]);
  const closed = sink.close();
  for (let i = 0; i < 4; i++) await writer.next();
  await closed;
  expect(writer.batches.flat()).toEqual(['0', '1', '2', '3']);
});

test('a batch that cannot be written is lost, the next is not', async () => {
  const writer = new HeldWriter();
  const lost: number[] = [];
  const sink = new BufferedSink('log', batch, { writer, lost: (events) => lost.push(events) });
  sink.take('a');
  await writer.next('failed');
  await waitFor('the loss', () => lost.length === 1);
  sink.take('b');
  const closed = sink.close();
  await writer.next();
  await closed;
  expect(writer.batches).toEqual([['a'], ['b']]);
});

test('a batch waits for more until it is full', async () => {
  const writer = new HeldWriter();
  const sink = new BufferedSink('log', { ...batch, maxSize: 3, maxWaitMs: 60_000 }, { writer, lost: fail });
  for (const line of ['a', 'b', 'c']) {
    expect(writer.batches).toEqual([]);
    sink.take(line);
  }
  await writer.next();
  expect(writer.batches).toEqual([['a', 'b', 'c']]);
  await sink.close();
});

test('blocking: whoever tells waits, and hears of a loss', async () => {
  const writer = new HeldWriter();
  const lost: number[] = [];
  const sink = new BlockingSink('log', { writer, lost: (events) => lost.push(events) });
  const [first, second] = [sink.take('a'), sink.take('b')];
  const refused = expect(first).rejects.toThrow('no space');
  await writer.next('failed');
  await refused;
  expect(lost).toEqual([1]);
  await writer.next();
  await second;
  expect(writer.batches).toEqual([['a'], ['b']]);
  await sink.close();
});

test('a large file is begun anew; old and surplus ones go, others stay', async () => {
  const { dir, path } = freshFile();
  writeFileSync(join(dir, 'audit-2001-01-01T00-00-00.000.log'), 'old');
  writeFileSync(join(dir, 'audit-notes.log'), 'not ours');
  const file = new LogFile({ path, maxBytes: 100, maxAgeMs: daysInMs(2), maxBackups: 2 });
  for (let i = 0; i < 5; i++) {
    await file.write([String(i).repeat(60)]);
    // Two backups of one millisecond would have one name.
    const now = Date.now();
    await waitFor('the next millisecond', () => Date.now() > now);
  }
  await file.close();
  expect(readFileSync(path, 'utf8')).toBe(`${'4'.repeat(60)}\n`);
  const others = readdirSync(dir)
    .filter((name) => name !== 'audit.log')
    .sort();
  expect(others).toHaveLength(3);
  expect(others.at(-1)).toBe('audit-notes.log');
  const backups = others.slice(0, 2).map((name) => readFileSync(join(dir, name), 'utf8').charAt(0));
  expect(backups).toEqual(['2', '3']);
});

test('a file that another process has begun anew is followed', async () => {
  const { dir, path } = freshFile();
  const file = new LogFile({ path, maxBytes: 1e9, maxAgeMs: 0, maxBackups: 0 });
  await file.write(['before']);
  renameSync(path, join(dir, 'moved'));
  await file.write(['after']);
  await file.close();
  expect(readFileSync(path, 'utf8')).toBe('after\n');
  expect(readFileSync(join(dir, 'moved'), 'utf8')).toBe('before\n');
});

function fail(events: number, cause: unknown): void {
  throw new Error(`${String(events)} events are lost`, { cause });
}
