/**
 * `restore`: replaces the data of an etcd member by a snapshot, so that all clients relist.
 *
 *   check snapshot ─▶ lock data ─▶ prepare (revision raised, history compacted) ─▶ new data beside the old ─▶ swap
 *
 * Before the swap the old data is not changed; after it the old data is kept under a dated name.
 */
import { mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { codeOf, messageOf } from '../base/errors.ts';
import { reasonOf, StartError } from '../base/start-error.ts';
import { lockDataFolder, lockIn, openDataFolder } from '../local-etcd/data-folder.ts';
import { ownIdentity } from '../local-etcd/etcd-command.ts';
import { takeFileLock } from '../local-etcd/file-lock.ts';
import { makeFolder } from '../base/make-folder.ts';
import type { MemberIdentity, RestoreConfig, RestoreContext, RestoreGoal } from './config.ts';
import { databaseIn, readRevisions } from './etcd-revision.ts';
import { findEtcdTools, type EtcdTools } from './etcd-tools.ts';
import {
  assertPrepared,
  prepareSnapshot,
  restoreSnapshot,
  type PreparedSnapshot,
} from './prepare-snapshot.ts';
import { workName } from './left-work.ts';
import { assertReplaceable } from './output-file.ts';
import { syncTree } from './sync-tree.ts';
import { checkSnapshot, type SnapshotFacts } from './snapshot-check.ts';
import { finishSwap, isUnfinished, swapData } from './swap.ts';
import { syncPath } from './sync-path.ts';
import { targetRevision } from './target-revision.ts';
import { tidy } from './tidy.ts';

const unchanged = 'the data is unchanged; see the lines above for the failed step';
const unfinished =
  'the swap of the data is not finished, and etcd does not start before: remove the cause and run the same command again';

/** Parameters of every step. */
interface Restore extends RestoreContext {
  readonly config: RestoreConfig;
  readonly tools: EtcdTools;
  readonly facts: SnapshotFacts;
}

/**
 * @throws StartError if the snapshot is invalid, the data is in use, or a step fails; the old data is unchanged then
 */
export async function runRestore(config: RestoreConfig, context: RestoreContext): Promise<void> {
  const { print, signal } = context;
  if (config.goal.kind === 'prepare') await assertReplaceable(resolve(config.goal.output));
  const tools = await findEtcdTools(toolFolder(config.goal), signal);
  print(`Checking ${config.snapshot}.`);
  const facts = await checkSnapshot(config.snapshot, { ...config, tools, signal });
  const { bytes, records, current } = facts;
  print(`The snapshot is valid: ${bytes} bytes, ${records} records, revision ${current}.`);
  if (config.dryRun) {
    print('Nothing was changed (--dry-run).');
    return;
  }
  const restore = { ...context, config, tools, facts };
  try {
    await reach(restore, config.goal);
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof StartError ? error : failed(error, unchanged);
  }
}

function failed(error: unknown, remedy: string): StartError {
  const why = codeOf(error) === '' ? messageOf(error) : reasonOf(error);
  return StartError.of('RESTORE_FAILED', `the restore failed: ${why}`, remedy, error);
}

/** `.orch/bin` contains programs that are not installed on the machine. */
function toolFolder(goal: RestoreGoal): string {
  return resolve(goal.kind === 'own' ? goal.dataFolder : '.orch');
}

function reach(restore: Restore, goal: RestoreGoal): Promise<void> {
  switch (goal.kind) {
    case 'prepare':
      return writePrepared(restore, resolve(goal.output));
    case 'own':
      return replaceOwn(restore, resolve(goal.dataFolder));
    case 'member':
      return replaceMember(restore, resolve(goal.dataDir), goal.member);
  }
}

async function writePrepared(restore: Restore, output: string): Promise<void> {
  const workFolder = await mkdtemp(`${output}.work-`);
  try {
    const { path, revision } = await prepare(restore, workFolder, 0);
    await syncPath(path);
    await rename(path, output);
    await syncPath(dirname(output));
    restore.print(
      `${output} is ready, at revision ${revision}: restore every member from it with --prepared.`,
    );
  } finally {
    await tidy(workFolder, restore, () => rm(workFolder, { recursive: true, force: true }));
  }
}

async function replaceOwn(restore: Restore, dataFolder: string): Promise<void> {
  await openDataFolder(dataFolder);
  const unlock = await lockDataFolder(dataFolder);
  try {
    await replaceData(
      restore,
      join(dataFolder, 'etcd'),
      (workFolder, served) => {
        return prepare(restore, workFolder, served);
      },
      ownIdentity,
    );
  } finally {
    await tidy(lockIn(dataFolder), restore, unlock);
  }
}

function replaceMember(restore: Restore, dataDir: string, member: MemberIdentity): Promise<void> {
  return replaceData(restore, dataDir, (_, served) => usePrepared(restore, served), member);
}

/** Returns the snapshot to restore; takes an empty folder and the last revision of the current data. */
type PreparedBy = (workFolder: string, served: number) => Promise<PreparedSnapshot>;

async function replaceData(
  restore: Restore,
  dataDir: string,
  prepared: PreparedBy,
  identity: MemberIdentity,
): Promise<void> {
  await using owned = new AsyncDisposableStack();
  const workFolder = await beginWork(dataDir, owned, restore);
  await lockDatabase(dataDir, owned);
  const served = await servedRevision(dataDir, restore);
  const snapshot = await prepared(workFolder, served);
  await restoreBeside(restore, { dataDir, workFolder, snapshot, identity });
  const aside = await swap(dataDir);
  restore.print(`Restored ${dataDir}, at revision ${snapshot.revision}.`);
  if (aside !== '')
    restore.print(
      `The previous data is kept as ${join(dataDir, aside)}; remove it when it is no longer needed.`,
    );
}

async function swap(dataDir: string): Promise<string> {
  try {
    return await swapData(dataDir, join(workName, 'data', 'member'), new Date());
  } catch (error) {
    throw (await isUnfinished(dataDir)) ? failed(error, unfinished) : error;
  }
}

/** A new work folder beside the data. */
async function beginWork(
  dataDir: string,
  owned: AsyncDisposableStack,
  context: RestoreContext,
): Promise<string> {
  await makeFolder(dataDir);
  owned.use(await lockOrRefuse(dataDir, `another restore runs on ${dataDir}`));
  const finished = await finishSwap(dataDir);
  if (finished !== undefined) context.print('Completed an earlier restore that was interrupted.');
  const workFolder = join(dataDir, workName);
  const clear = (): Promise<void> => rm(workFolder, { recursive: true, force: true, maxRetries: 5 });
  await clear();
  await mkdir(workFolder, { mode: 0o700 });
  owned.defer(async () => {
    await tidy(workFolder, context, async () => {
      if (!(await isUnfinished(dataDir))) await clear();
    });
  });
  return workFolder;
}

/** A running etcd holds this lock; one that is started meanwhile waits for it. */
async function lockDatabase(dataDir: string, owned: AsyncDisposableStack): Promise<void> {
  const database = databaseIn(dataDir);
  if (!(await isThere(database))) return;
  owned.use(await lockOrRefuse(database, `an etcd runs on ${dataDir}`));
}

async function lockOrRefuse(path: string, why: string): Promise<AsyncDisposable> {
  const lock = await takeFileLock(path);
  if (lock !== undefined) return lock;
  throw StartError.of('DATA_FOLDER_IN_USE', why, 'stop it first; nothing was changed');
}

/** The last revision of the current data; 0 if unknown. */
async function servedRevision(dataDir: string, { print }: RestoreContext): Promise<number> {
  const database = databaseIn(dataDir);
  if (!(await isThere(database))) return 0;
  try {
    const { current } = await readRevisions(database);
    print(`The current data is at revision ${current}.`);
    return current;
  } catch (error) {
    print(`The current data cannot be read (${messageOf(error)}).`);
    return 0;
  }
}

async function prepare(restore: Restore, workFolder: string, served: number): Promise<PreparedSnapshot> {
  const { config, facts } = restore;
  const target = targetRevision(new Date(), [facts.current, served, config.beyondRevision]);
  return prepareSnapshot({ ...restore, ...config, workFolder, target });
}

/** @throws StartError if clients may have seen revisions of the snapshot */
async function usePrepared({ config, facts }: Restore, served: number): Promise<PreparedSnapshot> {
  const { current, compacted } = facts;
  const refuse = (what: string): StartError =>
    StartError.of(
      'SNAPSHOT_INVALID',
      `${config.snapshot} ${what}`,
      'prepare the snapshot first, once for all members: restore --snapshot=FILE --output=PREPARED',
    );
  if (compacted !== current) throw refuse('is not prepared');
  if (current <= Math.max(served, config.beyondRevision))
    throw refuse(`is at revision ${current}, which clients may have seen`);
  return Promise.resolve({ path: config.snapshot, revision: current });
}

interface BesideOptions {
  readonly dataDir: string;
  readonly workFolder: string;
  readonly snapshot: PreparedSnapshot;
  readonly identity: MemberIdentity;
}

async function restoreBeside(
  { tools, signal, print }: Restore,
  { dataDir, workFolder, snapshot, identity }: BesideOptions,
): Promise<void> {
  const beside = join(workFolder, 'data');
  print(`Restoring beside the data, in ${beside}.`);
  // The same for all members, and different from earlier clusters, so that their members never join.
  const token = identity.initialClusterToken || `restored-${snapshot.revision}`;
  const options = { tools, signal, snapshot: snapshot.path, skipHashCheck: false, dataDir: beside };
  await restoreSnapshot({ ...options, identity: { ...identity, initialClusterToken: token } });
  await assertPrepared(databaseIn(beside), snapshot.revision);
  await syncTree(join(beside, 'member'), dataDir);
  signal.throwIfAborted();
  print('Putting the restored data in place.');
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return false;
    throw error;
  }
}
