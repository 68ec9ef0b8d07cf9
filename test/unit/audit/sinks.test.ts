import { spawnSync } from 'node:child_process';
import {
  closeSync,
  constants,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { BufferedBackend, type BatchOptions } from '../../../src/audit/buffered-backend.ts';
import { daysInMs } from '../../../src/audit/log-backups.ts';
import { LogFile, type LogFileOptions } from '../../../src/audit/log-file.ts';
import { WebhookWriter } from '../../../src/audit/webhook-writer.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { systemEnvironment } from '../../../src/base/environment.ts';
import { HandClock } from '../../support/hand-clock.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { HeldWriter } from '../../support/held-writer.ts';
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

const batch: BatchOptions = {
  ...{ bufferSize: 1_000, maxSize: 7, maxBytes: Infinity, maxWaitMs: 0, throttle: undefined },
};

function logFile(options: Partial<Omit<LogFileOptions, 'path'>> & { readonly path: string }): LogFile {
  return new LogFile({
    clock: systemClock,
    maxBytes: 1e9,
    maxAgeMs: 0,
    maxBackups: 0,
    compresses: false,
    ...options,
  });
}

test('everything that was taken is in the file when the sink is closed, in order', async () => {
  const { path } = freshFile();
  const sink = new BufferedBackend('log', batch, {
    clock: systemClock,
    writer: logFile({ path }),
    lost: fail,
  });
  const lines = Array.from({ length: 500 }, (_, i) => JSON.stringify({ i }));
  for (const line of lines) sink.take(line);
  await sink.close();
  expect(readFileSync(path, 'utf8').trimEnd().split('\n')).toEqual(lines);
});

test('a full buffer drops and reports the newest events; no request waits', async () => {
  const writer = new HeldWriter();
  const lost: number[] = [];
  const sink = new BufferedBackend(
    'log',
    { ...batch, bufferSize: 3, maxSize: 1 },
    { clock: systemClock, writer, lost: (events) => lost.push(events) },
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
  const sink = new BufferedBackend('log', batch, {
    clock: systemClock,
    writer,
    lost: (events) => lost.push(events),
  });
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
  const sink = new BufferedBackend(
    'log',
    { ...batch, maxSize: 3, maxWaitMs: 60_000 },
    { clock: systemClock, writer, lost: fail },
  );
  for (const line of ['a', 'b', 'c']) {
    expect(writer.batches).toEqual([]);
    sink.take(line);
  }
  await writer.next();
  expect(writer.batches).toEqual([['a', 'b', 'c']]);
  await sink.close();
});

test('batch: a sink that hangs for good does not keep the service from its end', async () => {
  const clock = new HandClock();
  const writer = new HeldWriter();
  const sink = new BufferedBackend('log', batch, { clock, writer, lost: () => undefined });
  sink.take('a');
  await waitFor('the write', () => writer.batches.length === 1);
  let isClosed = false;
  const closed = sink.close().then(() => (isClosed = true));
  await waitFor('the end', () => {
    clock.advance(10_000);
    return isClosed;
  });
  await closed;
});

/** What waits in a pipe. */
function readNow(reader: number): string {
  const bytes = Buffer.alloc(1_000);
  return bytes.toString('utf8', 0, readSync(reader, bytes));
}

function pipeAt(path: string): void {
  expect(spawnSync('mkfifo', [path]).status).toBe(0);
}

test('a named pipe without a reader loses the events at once; a later reader gets the next', async () => {
  const { path } = freshFile();
  pipeAt(path);
  const file = logFile({ path });
  const late = AbortSignal.timeout(20_000);
  await expect(file.write(['nobody reads'], late)).rejects.toThrow('ENXIO');
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  await file.write(['first'], late);
  expect(readNow(reader)).toBe('first\n');
  closeSync(reader);
  await expect(file.write(['its reader is gone'], late)).rejects.toThrow('EPIPE');
  const next = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  await file.write(['second'], late);
  expect(readNow(next)).toBe('second\n');
  closeSync(next);
  await file.close();
});

test('a named pipe that is not read is waited for until the signal, and no longer', async () => {
  const { path } = freshFile();
  pipeAt(path);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const file = logFile({ path });
  await expect(file.write(['x'.repeat(1_000_000)], AbortSignal.timeout(200))).rejects.toThrow();
  await file.close();
  closeSync(reader);
});

test('a line that was cut, by a full disk or an end of the process, does not tear the next', async () => {
  const { path } = freshFile();
  writeFileSync(path, 'whole\ncut');
  const file = logFile({ path });
  await file.write(['next']);
  await file.write(['last']);
  await file.close();
  expect(readFileSync(path, 'utf8')).toBe('whole\ncut\nnext\nlast\n');
});

test('a folder that is removed is made again', async () => {
  const { dir, path } = freshFile();
  const file = logFile({ path });
  await file.write(['before']);
  rmSync(dir, { recursive: true });
  await file.write(['after']);
  await file.close();
  expect(readFileSync(path, 'utf8')).toBe('after\n');
});

test('a large file is rotated; old and surplus backups are removed, others kept', async () => {
  const { dir, path } = freshFile();
  writeFileSync(join(dir, 'audit-2001-01-01T00-00-00.000.log'), 'old');
  writeFileSync(join(dir, 'audit-notes.log'), 'not ours');
  const file = logFile({ path, maxBytes: 100, maxAgeMs: daysInMs(2), maxBackups: 2 });
  for (let i = 0; i < 5; i++) {
    await file.write([String(i).repeat(60)]);
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

test('a file that another process has rotated is followed', async () => {
  const { dir, path } = freshFile();
  const file = logFile({ path });
  await file.write(['before']);
  renameSync(path, join(dir, 'moved'));
  await file.write(['after']);
  await file.close();
  expect(readFileSync(path, 'utf8')).toBe('after\n');
  expect(readFileSync(join(dir, 'moved'), 'utf8')).toBe('before\n');
});

test('several writers of one file tear no line and rotate it once each time it is full', async () => {
  const { dir, path } = freshFile();
  const files = Array.from({ length: 4 }, () => logFile({ path, maxBytes: 3_000_000 }));
  // Longer than what a file handle writes in one piece by itself.
  const line = (writer: number, i: number): string => JSON.stringify({ writer, i, pad: 'x'.repeat(700_000) });
  await Promise.all(
    files.map(async (file, writer) => {
      for (let i = 0; i < 10; i++) await file.write([line(writer, i)]);
      await file.close();
    }),
  );
  const names = readdirSync(dir);
  const all = names.map((name) => readFileSync(join(dir, name), 'utf8').trimEnd().split('\n'));
  const told = all.flat().map((text) => JSON.parse(text) as { writer: number; i: number });
  expect(told.map(({ writer, i }) => writer * 10 + i).sort((a, b) => a - b)).toEqual([...Array(40).keys()]);
  // Four fit; those who looked before it was begun anew may add a line each.
  const backups = all.filter((_lines, i) => names[i] !== 'audit.log');
  for (const lines of backups) expect(lines.length).toBeGreaterThanOrEqual(4);
});

test('a claim that a dead process left does not keep a full file', async () => {
  const { dir, path } = freshFile();
  const file = logFile({ path, maxBytes: 10 });
  await file.write(['first line']);
  linkSync(path, `${path}.${String(statSync(path).ino)}.full`);
  await file.write(['second line']);
  await file.close();
  expect(readFileSync(path, 'utf8')).toBe('second line\n');
  expect(readdirSync(dir)).toHaveLength(2);
});

test('backups are compressed, also those of an earlier process; what that had not finished is removed', async () => {
  const { dir, path } = freshFile();
  const earlier = 'audit-2026-01-02T03-04-05.678.log';
  writeFileSync(join(dir, earlier), 'earlier\n');
  const partial = join(dir, `${earlier}.71.partial`);
  writeFileSync(partial, 'a piece');
  utimesSync(partial, new Date(0), new Date(0));
  const file = logFile({ path, maxBytes: 10, compresses: true });
  await file.write(['first line']);
  await file.write(['second line']);
  const compressed = await waitFor('two of them', () => {
    const names = readdirSync(dir).filter((name) => name !== 'audit.log');
    return names.length === 2 && names.every((name) => name.endsWith('.log.gz')) && names;
  });
  await file.close();
  const texts = compressed.sort().map((name) => gunzipSync(readFileSync(join(dir, name))).toString());
  expect(texts).toEqual(['earlier\n', 'first line\n']);
  expect(readFileSync(path, 'utf8')).toBe('second line\n');
});

test('a batch has no more bytes than it may, and one event at least', async () => {
  const writer = new HeldWriter();
  const sink = new BufferedBackend(
    'log',
    { ...batch, maxBytes: 10 },
    { clock: systemClock, writer, lost: fail },
  );
  for (const line of ['0', 'aaaa', 'öööö', 'b', 'more than ten', 'c']) sink.take(line);
  const closed = sink.close();
  for (let i = 0; i < 4; i++) await writer.next();
  await closed;
  expect(writer.batches).toEqual([['0', 'aaaa'], ['öööö', 'b'], ['more than ten'], ['c']]);
});

test('large events are not put together into one large batch, and do not wait for a full one', async () => {
  const writer = new HeldWriter();
  const patient = { ...batch, maxSize: 400, maxWaitMs: 3_600_000 };
  const sink = new BufferedBackend('log', patient, { clock: systemClock, writer, lost: fail });
  const line = 'x'.repeat(1_000_000);
  for (let i = 0; i < 5; i++) sink.take(line);
  await writer.next();
  await writer.next();
  const closed = sink.close();
  await writer.next();
  await closed;
  expect(writer.batches.map(({ length }) => length)).toEqual([2, 2, 1]);
});

test('a webhook gets the events as they were written', async () => {
  const texts: string[] = [];
  const writer = new WebhookWriter({
    ...systemEnvironment,
    post: (text) => Promise.resolve(texts.push(text)),
    close: () => undefined,
    apiVersion: 'audit.orch.io/v1',
    initialBackoffMs: 1,
  });
  await writer.write(['{"n":1.0,"__proto__":{}}', '{"n":2}'], AbortSignal.timeout(10_000));
  const head = '{"kind":"EventList","apiVersion":"audit.orch.io/v1","metadata":{},"items":';
  expect(texts).toEqual([`${head}[{"n":1.0,"__proto__":{}},{"n":2}]}`]);
});

function fail(events: number, cause: unknown): void {
  throw new Error(`${String(events)} events are lost`, { cause });
}
