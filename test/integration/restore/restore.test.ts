/** `restore` on the data of one etcd: what it refuses, what it does, and what is there when it is killed. */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { readRevisions } from '../../../src/restore/etcd-revision.ts';
import { PrivateMember } from '../../../src/restore/private-member.ts';
import { finishSwap } from '../../../src/restore/swap.ts';
import { Child } from '../../support/child-process.ts';
import { etcdBinary } from '../../support/paths.ts';
import { processesWith } from '../../support/processes.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor, within } from '../../support/wait-for.ts';
import { launch, runToEnd } from '../../support/service.ts';
import { etcdTools, forever, readState, stateOf, type StoredState } from './stored-state.ts';

const timeout = 120_000;
/** More than one page of keys. */
const keys = 1_200;
let temporary: TempFolder;
/** Data, and a snapshot of an earlier state of it. */
let base: string;
let snapshot: string;
let earlier: StoredState;
let later: StoredState;
let folder: string;
let dataDir: string;
let round = 0;

beforeAll(async () => {
  temporary = await makeTempFolder('restore');
  snapshot = join(temporary.path, 'snapshot.db');
  base = join(temporary.path, 'base');
  await makeHistory(join(base, 'etcd'));
}, timeout);
afterAll(() => temporary.remove());

beforeEach(() => {
  folder = join(temporary.path, `data-${String((round += 1))}`);
  dataDir = join(folder, 'etcd');
  cpSync(base, folder, { recursive: true });
});

/** Keys, a snapshot, then changes and removals of which the snapshot knows nothing. */
async function makeHistory(directory: string): Promise<void> {
  mkdirSync(base);
  const tools = await etcdTools();
  const empty = join(temporary.path, 'empty.db');
  await using member = await PrivateMember.start({ tools, dataDir: directory, signal: forever });
  const put = (i: number, value: string): Promise<unknown> =>
    member.client.put({ key: Buffer.from(`/registry/core/pods/${String(i)}`), value: Buffer.from(value) });
  await member.etcdctl('snapshot', 'save', empty);
  await Promise.all(Array.from({ length: keys }, (_, i) => put(i, `first ${String(i)}`)));
  await member.etcdctl('put', '/registry/core/events/leased', 'x', `--lease=${await grantLease(member)}`);
  await member.etcdctl('snapshot', 'save', snapshot);
  earlier = await readState(member);
  await Promise.all(Array.from({ length: 100 }, (_, i) => put(i, `second ${String(i)}`)));
  await member.etcdctl('del', '/registry/core/pods/500');
  later = await readState(member);
}

async function grantLease(member: PrivateMember): Promise<string> {
  return /lease (\w+) granted/.exec(await member.etcdctl('lease', 'grant', '3600'))?.[1] ?? '';
}

function restore(...words: string[]): ReturnType<typeof runToEnd> {
  return runToEnd(['restore', `--snapshot=${snapshot}`, `--data-dir=${folder}`, ...words]);
}

/** Names and times of all below a folder. */
function listing(path: string): string[] {
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .map((name) => `${name} ${String(statSync(join(path, name)).mtimeMs)}`)
    .sort();
}

const keptNames = (): string[] =>
  readdirSync(dataDir).filter((name) => name.startsWith('member.before-restore-'));

test(
  'it restores exactly the snapshot, every key newer than all that was served, and keeps the old data',
  async () => {
    const { code, output } = await restore();
    expect({ code, output }).toMatchObject({ code: 0 });
    const restored = await stateOf(dataDir);
    expect(restored.values).toEqual(earlier.values);
    const versions = Object.values(restored.versions);
    expect(Math.min(...versions)).toBeGreaterThan(later.revision);
    expect(new Set(versions).size).toBe(keys + 1);
    expect(readdirSync(dataDir).sort()).toEqual(['member', ...keptNames()]);
    const kept = join(folder, 'kept');
    mkdirSync(kept);
    cpSync(join(dataDir, keptNames()[0] ?? ''), join(kept, 'member'), { recursive: true });
    expect(await stateOf(kept)).toEqual(later);
  },
  timeout,
);

test(
  'what was served before is compacted, leases stay, and a further restore goes further still',
  async () => {
    expect((await restore()).code).toBe(0);
    const tools = await etcdTools();
    let first = 0;
    {
      await using member = await PrivateMember.start({ tools, dataDir, signal: forever });
      first = (await readState(member)).revision;
      for (const revision of [2, earlier.revision, later.revision, first - 1])
        await expect(member.client.range({ key: Buffer.from('/registry'), revision })).rejects.toMatchObject({
          kind: 'compacted',
        });
      const leased = await member.etcdctl('get', '/registry/core/events/leased', '--write-out=json');
      expect(leased).toMatch(/"lease":[1-9]/);
      expect(await readRevisions(join(dataDir, 'member', 'snap', 'db'))).toMatchObject({ compacted: first });
      await member.client.put({ key: Buffer.from('/registry/core/pods/new'), value: Buffer.from('x') });
    }
    expect((await restore()).code).toBe(0);
    const again = await stateOf(dataDir);
    expect(again.values).toEqual(earlier.values);
    expect(Math.min(...Object.values(again.versions))).toBeGreaterThan(first + 1);
    expect(keptNames()).toHaveLength(2);
  },
  timeout,
);

test(
  'a revision that is known to have been served is gone beyond, and an empty snapshot is a state like any other',
  async () => {
    const known = 400_000_000_000_000;
    const words = [`--snapshot=${join(temporary.path, 'empty.db')}`, `--beyond-revision=${String(known)}`];
    expect((await restore(...words)).code).toBe(0);
    const restored = await stateOf(dataDir);
    expect(restored.values).toEqual({});
    expect(restored.revision).toBeGreaterThan(known);
  },
  timeout,
);

test(
  'the data that was kept can be restored in turn',
  async () => {
    expect((await restore()).code).toBe(0);
    const kept = join(dataDir, keptNames()[0] ?? '', 'snap', 'db');
    expect((await restore(`--snapshot=${kept}`)).output).toMatch(/SHA-256 is missing.*\[SNAPSHOT_INVALID\]/);
    const { code, output } = await restore(`--snapshot=${kept}`, '--skip-hash-check');
    expect({ code, output }).toMatchObject({ code: 0 });
    const again = await stateOf(dataDir);
    expect(again.values).toEqual(later.values);
    expect(Math.min(...Object.values(again.versions))).toBeGreaterThan(later.revision);
  },
  timeout,
);

test(
  'it makes the data where there was none',
  async () => {
    folder = join(temporary.path, 'fresh');
    expect((await restore()).code).toBe(0);
    expect((await stateOf(join(folder, 'etcd'))).values).toEqual(earlier.values);
    expect(statSync(folder).mode & 0o077).toBe(0);
  },
  timeout,
);

test('a dry run verifies and changes nothing', async () => {
  const before = listing(folder);
  const { code, output } = await restore('--dry-run');
  expect({ code, output }).toMatchObject({ code: 0 });
  expect(output).toMatch(
    /The snapshot is valid: \d+ bytes, \d+ records, revision \d+\.\nNothing was changed/,
  );
  expect(listing(folder)).toEqual(before);
});

/** A changed copy of the snapshot. */
function snapshotAs(name: string, change: (path: string) => void): string {
  const path = join(temporary.path, name);
  if (!existsSync(path)) cpSync(snapshot, path);
  change(path);
  return path;
}

function flipBit(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] ?? 0) ^ 0x10;
  writeFileSync(path, bytes);
}

const damage: Readonly<Record<string, readonly [RegExp, (path: string) => void]>> = {
  'cut in the middle of a page': [/SHA-256 is missing or cut off/, (path) => truncateSync(path, 30_001)],
  'cut at the end of a page': [/SHA-256 is missing or cut off/, (path) => truncateSync(path, 32_768)],
  'cut with the length of a whole one': [/SHA-256 does not match/, (path) => truncateSync(path, 32_800)],
  'without the last byte of its hash': [
    /SHA-256 is missing or cut off/,
    (path) => truncateSync(path, statSync(path).size - 1),
  ],
  'with another bit among its values': [/SHA-256 does not match/, (path) => flipBit(path, 60_000)],
  'with another bit in its hash': [
    /SHA-256 does not match/,
    (path) => flipBit(path, statSync(path).size - 7),
  ],
  empty: [/it is empty/, (path) => truncateSync(path, 0)],
  'only a hash': [/not a bbolt database/, (path) => truncateSync(path, 32)],
  'a text': [/not a bbolt database/, (path) => writeFileSync(path, 'kind: ConfigMap\n'.repeat(4096))],
};

test.each(Object.entries(damage))(
  'a snapshot that is %s is refused and nothing is touched',
  async (name, [why, change]) => {
    const path = snapshotAs(`${name.replaceAll(' ', '-')}.db`, change);
    const before = listing(folder);
    const { code, output } = await restore(`--snapshot=${path}`);
    expect(code).toBe(1);
    expect(output).toMatch(why);
    expect(output).toMatch(/nothing was changed; take another snapshot \[SNAPSHOT_INVALID\]\n$/);
    expect(listing(folder)).toEqual(before);
  },
);

test('a damaged tree is refused also without a hash to show it', async () => {
  const path = snapshotAs('tree.db', (copy) => {
    truncateSync(copy, statSync(copy).size - 32);
    const bytes = readFileSync(copy);
    bytes.fill(0xff, 3 * 4096, bytes.length);
    writeFileSync(copy, bytes);
  });
  const before = listing(folder);
  const { code, output } = await restore(`--snapshot=${path}`, '--skip-hash-check');
  expect(code).toBe(1);
  expect(output).toMatch(/\[SNAPSHOT_INVALID\]\n$/);
  expect(listing(folder)).toEqual(before);
});

const cuts: Record<string, [why: RegExp, bytes: (whole: number) => number]> = {
  'a byte of its hash': [/not a whole number of pages/, (whole) => whole - 1],
  'all of its hash but a byte': [/not a whole number of pages/, (whole) => whole - 31],
  'its hash and a byte': [/not a whole number of pages/, (whole) => whole - 33],
  'its hash and a block of the disk': [/not a whole number of pages/, (whole) => whole - 32 - 512],
  'its hash and its last page': [/should have at least/, (whole) => whole - 32 - 4096],
};

test.each(Object.entries(cuts))(
  'a snapshot that lacks %s is refused also without a look at its hash',
  async (name, [why, bytesOf]) => {
    const path = snapshotAs(`lacks-${name.replaceAll(' ', '-')}.db`, (copy) =>
      truncateSync(copy, bytesOf(statSync(copy).size)),
    );
    const { code, output } = await restore(`--snapshot=${path}`, '--skip-hash-check', '--dry-run');
    expect({ code, output }).toMatchObject({ code: 1 });
    expect(output).toMatch(why);
    expect(output).toMatch(/\[SNAPSHOT_INVALID\]\n$/);
  },
);

test('a snapshot without its hash alone is taken where its hash is not looked at', async () => {
  const path = snapshotAs('no-hash.db', (copy) => truncateSync(copy, statSync(copy).size - 32));
  const { code, output } = await restore(`--snapshot=${path}`, '--skip-hash-check', '--dry-run');
  expect({ code, output }).toMatchObject({ code: 0 });
});

test('a file that is missing, or is a folder or a pipe, is told as that', async () => {
  expect((await restore('--snapshot=/nowhere/x.db')).output).toMatch(/no such file.*\[FILE_UNREADABLE\]/);
  expect((await restore(`--snapshot=${folder}`)).output).toMatch(/\[FILE_UNREADABLE\]/);
  const pipe = join(temporary.path, 'pipe.db');
  execFileSync('mkfifo', [pipe]);
  expect((await restore(`--snapshot=${pipe}`)).output).toMatch(/not a regular file.*\[FILE_UNREADABLE\]/);
});

test(
  'it refuses while an etcd runs on the data',
  async () => {
    await using member = await PrivateMember.start({ tools: await etcdTools(), dataDir, signal: forever });
    const { code, output } = await restore();
    expect(code).toBe(1);
    expect(output).toMatch(/an etcd runs on .* nothing was changed \[DATA_FOLDER_IN_USE\]\n$/);
    expect(await readState(member)).toEqual(later);
    expect(keptNames()).toEqual([]);
  },
  timeout,
);

test.each(['a path that is too long for sockets', 'no folder'])(
  'it restores where TMPDIR is %s',
  async (kind) => {
    const place = join(temporary.path, kind === 'no folder' ? 'none' : 'x'.repeat(120));
    if (kind !== 'no folder') mkdirSync(place, { recursive: true });
    const words = ['restore', `--snapshot=${snapshot}`, `--data-dir=${folder}`];
    const child = await launch(words, { TMPDIR: place });
    const { code } = await within('the end', 60_000, child.exited);
    await within('its output', 10_000, child.closed);
    expect({ code, output: child.output() }).toMatchObject({ code: 0 });
    expect((await stateOf(dataDir)).values).toEqual(earlier.values);
  },
  timeout,
);

test('a backup of an etcd that does not run ends, and writes nothing', async () => {
  const output = join(folder, 'backup.db');
  for (const words of [[], ['--etcd-servers=http://127.0.0.1:1']]) {
    const ended = await runToEnd(['backup', `--data-dir=${folder}`, `--output=${output}`, ...words]);
    expect(ended.code).toBe(1);
    expect(ended.output).toMatch(/no etcd member returned a snapshot; start it, .*\[ETCD_UNREACHABLE\]\n$/);
  }
  expect(readdirSync(folder).filter((name) => name.startsWith('backup'))).toEqual([]);
});

const told = [
  /^Checking /m,
  /^The snapshot is valid/m,
  /^Restoring a copy/m,
  /^Raising/m,
  /^All \d+ keys/m,
  /^Restoring beside/m,
  /^Putting/m,
];

test.each(told)(
  'killed when it told %p, either state is there, nothing else is left, and the same command then restores',
  async (line) => {
    const sockets = join(folder, 's');
    mkdirSync(sockets);
    const words = ['restore', `--snapshot=${snapshot}`, `--data-dir=${folder}`];
    const child = await launch(words, { TMPDIR: sockets });
    await waitFor('the line', () => line.test(child.output()) || child.exit(), {
      interval: 1,
      timeout: 30_000,
    });
    await child.kill();
    await waitFor('its etcd to be gone', () => processesWith(dataDir).length === 0);
    await waitFor('its sockets to be gone', () => readdirSync(sockets).length === 0);
    await finishSwap(dataDir);
    expect([earlier.values, later.values]).toContainEqual((await stateOf(dataDir)).values);
    const { code, output } = await restore();
    expect({ code, output }).toMatchObject({ code: 0 });
    expect((await stateOf(dataDir)).values).toEqual(earlier.values);
    expect(readdirSync(dataDir).filter((name) => !name.startsWith('member'))).toEqual([]);
  },
  timeout,
);

test(
  'cancelled by a signal, it leaves the data unchanged and no process',
  async () => {
    const child = await launch(['restore', `--snapshot=${snapshot}`, `--data-dir=${folder}`]);
    await waitFor('the copy', () => child.output().includes('Raising'), { interval: 1 });
    child.signal('SIGTERM');
    expect((await within('the end', 20_000, child.exited)).code).toBe(130);
    await within('its output', 10_000, child.closed);
    expect(child.output()).toMatch(/cancelled; the data is unchanged\n$/);
    expect(processesWith(dataDir)).toEqual([]);
    expect(readdirSync(dataDir)).toEqual(['member']);
    expect(await stateOf(dataDir)).toEqual(later);
  },
  timeout,
);

test('etcd refuses to start in the middle of the swap, with data and without', async () => {
  const bare = join(folder, 'bare');
  mkdirSync(bare);
  for (const directory of [dataDir, bare]) {
    writeFileSync(join(directory, 'proxy'), '{}');
    const etcd = await Child.start({
      name: 'etcd',
      program: etcdBinary(),
      args: [
        `--data-dir=${directory}`,
        '--logger=zap',
        '--listen-client-urls=unix://c:0',
        '--advertise-client-urls=unix://c:0',
      ],
      cwd: folder,
    });
    expect((await within('etcd to refuse', 10_000, etcd.exited)).code).not.toBe(0);
    await within('its output', 10_000, etcd.closed);
    expect(etcd.output()).toMatch(/"level":"(fatal|panic)".*proxy/);
    expect(existsSync(join(bare, 'member'))).toBe(false);
  }
});
