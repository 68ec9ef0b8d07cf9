/** `restore` and `backup`, killed before each of their steps, or refused it by a full disk: the old data is there, and a repeat succeeds. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { takeFileLock } from '../../../src/local-etcd/file-lock.ts';
import { readRevisions } from '../../../src/restore/etcd-revision.ts';
import { PrivateMember } from '../../../src/restore/private-member.ts';
import { finishSwap } from '../../../src/restore/swap.ts';
import { processesWith } from '../../support/processes.ts';
import { runToEnd, Service } from '../../support/service.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';
import { etcdTools, forever, readState, stateOf, type StoredState } from './stored-state.ts';

const timeout = 600_000;
const preload = `--import=${pathToFileURL(join(import.meta.dirname, 'end-at-step.mjs')).href}`;
let temporary: TempFolder;
let base: string;
let snapshot: string;
let earlier: StoredState;
let later: StoredState;
let folder: string;
let dataDir: string;

beforeAll(async () => {
  temporary = await makeTempFolder('every-step');
  snapshot = join(temporary.path, 'snapshot.db');
  base = join(temporary.path, 'base');
  mkdirSync(base);
  const tools = await etcdTools();
  await using member = await PrivateMember.start({ tools, dataDir: join(base, 'etcd'), signal: forever });
  const put = (name: string, value: string): Promise<unknown> =>
    member.client.put({ key: Buffer.from(`/registry/core/pods/${name}`), value: Buffer.from(value) });
  for (const name of ['a', 'b', 'c']) await put(name, 'early');
  await member.etcdctl('snapshot', 'save', snapshot);
  earlier = await readState(member);
  for (const name of ['c', 'd']) await put(name, 'late');
  later = await readState(member);
}, timeout);
afterAll(() => temporary.remove());

function freshData(name: string): void {
  folder = join(temporary.path, name);
  dataDir = join(folder, 'etcd');
  cpSync(base, folder, { recursive: true });
}

/** The revision of the data in a folder; undefined if there is none. */
async function revisionIn(name: string): Promise<number | undefined> {
  const database = join(dataDir, name, 'snap', 'db');
  return existsSync(database) ? (await readRevisions(database)).current : undefined;
}

/** What was there at first is there, in place or kept; in place is that or what was restored. */
async function expectNothingLost(): Promise<void> {
  await finishSwap(dataDir);
  const names = readdirSync(dataDir).filter((name) => name.startsWith('member'));
  const revisions = await Promise.all(names.map((name) => revisionIn(name)));
  expect(revisions).toContain(later.revision);
  expect(await revisionIn('member')).toBeGreaterThanOrEqual(later.revision);
}

/** Those that `restore` or `backup` started. */
const programs = (): unknown[] => [...processesWith('.work'), ...processesWith(snapshot)];

type End = Awaited<ReturnType<typeof runToEnd>>;

/** Runs a command once for each of its steps, the step in the variable, until it succeeds in spite of it. */
async function atEachStep(
  words: readonly string[],
  variable: string,
  check: (end: End, step: number) => Promise<void>,
): Promise<number> {
  for (let step = 1; ; step += 1) {
    const end = await runToEnd(words, 120_000, { NODE_OPTIONS: preload, [variable]: String(step) });
    await waitFor('its programs to be gone', () => programs().length === 0);
    await check(end, step);
    if (end.code === 0 && step > 5) return step;
  }
}

const restoring = (): string[] => ['restore', `--snapshot=${snapshot}`, `--data-dir=${folder}`];

async function expectRestored(): Promise<void> {
  const { code, output } = await runToEnd(restoring(), 120_000);
  expect({ code, output }).toMatchObject({ code: 0 });
  expect((await stateOf(dataDir)).values).toEqual(earlier.values);
  expect(readdirSync(dataDir).filter((name) => !name.startsWith('member'))).toEqual([]);
}

test(
  'restore, killed before each step',
  async () => {
    freshData('killed');
    const steps = await atEachStep(restoring(), 'END_AT_STEP', async ({ code, signal, output }) => {
      if (code !== 0) expect({ signal, output }).toMatchObject({ signal: 'SIGKILL' });
      await expectNothingLost();
    });
    expect(steps).toBeGreaterThan(20);
    await expectRestored();
  },
  timeout,
);

test(
  'restore, refused a step by a full disk',
  async () => {
    freshData('full');
    const file = join(temporary.path, 'steps');
    await runToEnd(restoring(), 120_000, { NODE_OPTIONS: preload, STEPS_FILE: file });
    const count = readFileSync(file, 'utf8').trim().split('\n').length;
    for (let step = 1; step <= count; step += 1) {
      const env = { NODE_OPTIONS: preload, FAIL_AT_STEP: String(step) };
      const before = await revisionIn('member');
      const { code, output } = await runToEnd(restoring(), 120_000, env);
      expect(/the data is unchanged/.test(output) && (await revisionIn('member')) !== before).toBe(false);
      if (code !== 0)
        expect({ code, output }).toMatchObject({
          code: 1,
          output: expect.stringMatching(/\[[A-Z_]+\]\n$/) as string,
        });
      // Before anything is mended: an etcd that is started now has data.
      expect(await revisionIn('member')).toBeGreaterThanOrEqual(later.revision);
      await expectNothingLost();
    }
    await expectRestored();
  },
  timeout,
);

test.each(['instance.lock', 'restore.work'])(
  'restore, whose %s cannot be removed afterwards, says that the data is restored',
  async (name) => {
    freshData(`kept-${name}`);
    const env = { NODE_OPTIONS: preload, KEEP_NAMED: name };
    const { code, output } = await runToEnd(restoring(), 120_000, env);
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(output).toMatch(
      new RegExp(`^Restored [^]*/${name} cannot be removed \\(input/output error\\)`, 'm'),
    );
    expect(output).not.toMatch(/unchanged|RESTORE_FAILED/);
    expect((await stateOf(dataDir)).values).toEqual(earlier.values);
    await expectRestored();
  },
  timeout,
);

test(
  'restore that fails and cannot unlock tells first why it failed',
  async () => {
    freshData('kept-after-failure');
    const env = { NODE_OPTIONS: preload, KEEP_NAMED: 'instance.lock', FAIL_AT_STEP: '12' };
    const { code, output } = await runToEnd(restoring(), 120_000, env);
    expect({ code, output }).toMatchObject({ code: 1 });
    expect(output).toMatch(/the data is unchanged.*\[RESTORE_FAILED\]\n$/);
    expect(output).toMatch(/no space left/);
    expect(output).toMatch(/instance\.lock cannot be removed \(input\/output error\)/);
    await expectRestored();
  },
  timeout,
);

test(
  'the next start of the service removes what a killed restore left beside the data, unless a restore runs',
  async () => {
    freshData('left');
    const left = join(dataDir, 'restore.work');
    mkdirSync(join(left, 'copy'), { recursive: true });
    const lock = await takeFileLock(dataDir);
    const meanwhile = await Service.start(folder);
    expect(existsSync(left)).toBe(true);
    expect(await meanwhile.stop()).toBe(0);
    await lock?.[Symbol.asyncDispose]();
    const service = await Service.start(folder);
    expect(existsSync(left)).toBe(false);
    expect(await service.stop()).toBe(0);
  },
  timeout,
);

test(
  'backup, killed before each step: an earlier file is whole until a new one takes its place',
  async () => {
    freshData('saved');
    const output = join(folder, 'backup.db');
    const service = await Service.start(folder);
    const saving = ['backup', `--data-dir=${folder}`, `--output=${output}`];
    expect((await runToEnd(saving)).code).toBe(0);
    await atEachStep(saving, 'END_AT_STEP', async () => {
      expect((await readRevisions(output)).current).toBeGreaterThan(later.revision);
    });
    expect((await runToEnd(['restore', `--snapshot=${output}`, '--dry-run'])).code).toBe(0);
    expect(await service.stop()).toBe(0);
  },
  timeout,
);
