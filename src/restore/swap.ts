/**
 * Replaces the data of a member by restored data; the old data is kept under a dated name.
 *
 *   new data complete ─▶ plan written ─▶ old data renamed ─▶ new data renamed ─▶ plan removed
 *
 * Between the renames there is no data, and etcd would start an empty cluster. Therefore the plan is a file named
 * `proxy` beside the data: etcd refuses to start on a data directory with such a file (3.4 to 3.6: it indicates
 * another mode). If a plan is found, the swap is completed; if its new data is gone, the old data is put back. A swap that
 * fails (a full or read-only disk) is undone at once, where that works.
 */
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../base/errors.ts';
import { syncPath } from './sync-path.ts';

const planName = 'proxy';
const dataName = 'member';

interface SwapPlan {
  /** A note for operators. */
  readonly note: string;
  /** Path of the new data, relative to the data directory. */
  readonly from: string;
  /** The new name of the old data. */
  readonly aside: string;
}

const note =
  'A restore was interrupted here and etcd must not start. "orch-apiserver restore", or "orch-apiserver serve" where ' +
  'it runs this etcd, finishes it.';

/**
 * Swaps in the data at `from` (below the data directory). Returns the name of the old data; '' if there was none.
 * @throws if a step fails; the old data is in place then, unless `isUnfinished`
 */
export async function swapData(dataDir: string, from: string, now: Date): Promise<string> {
  const aside = `${dataName}.before-restore-${now.toISOString().replaceAll(':', '-')}`;
  const plan = { note, from, aside };
  await writePlan(dataDir, plan);
  try {
    return (await finishSwap(dataDir)) ?? '';
  } catch (error) {
    await undo(dataDir, plan).catch(() => undefined);
    throw error;
  }
}

/** Whether a swap waits to be completed; what it swaps in must be kept. */
export async function isUnfinished(dataDir: string): Promise<boolean> {
  return (await readPlan(dataDir)) !== undefined;
}

/** Completes an interrupted swap. Returns the name of the old data; undefined if there is none to complete. */
export async function finishSwap(dataDir: string): Promise<string | undefined> {
  const plan = await readPlan(dataDir);
  if (plan === undefined) return undefined;
  if (await exists(join(dataDir, plan.from))) {
    if (await exists(join(dataDir, dataName)))
      await rename(join(dataDir, dataName), join(dataDir, plan.aside));
    await rename(join(dataDir, plan.from), join(dataDir, dataName));
  } else await putBack(dataDir, plan);
  await syncPath(dataDir);
  const kept = (await exists(join(dataDir, plan.aside))) ? plan.aside : '';
  // The last step that can fail: a restore that is told to have failed has changed nothing.
  await removePlan(dataDir);
  return kept;
}

/** The old data in place, as before the swap; nothing is changed where the new data is in place already. */
async function undo(dataDir: string, plan: SwapPlan): Promise<void> {
  const isNewInPlace = !(await exists(join(dataDir, plan.from))) && (await exists(join(dataDir, dataName)));
  if (isNewInPlace) return;
  await putBack(dataDir, plan);
  await syncPath(dataDir);
  await removePlan(dataDir);
}

/** Without any data in place etcd would start an empty cluster. */
async function putBack(dataDir: string, { aside }: SwapPlan): Promise<void> {
  const [place, kept] = [join(dataDir, dataName), join(dataDir, aside)];
  if (!(await exists(place)) && (await exists(kept))) await rename(kept, place);
}

/** The renames are on the disk already: a plan that comes back after a power cut is finished by the next start. */
async function removePlan(dataDir: string): Promise<void> {
  await rm(join(dataDir, planName));
  await syncPath(dataDir).catch(() => undefined);
}

/** Written atomically. */
async function writePlan(dataDir: string, plan: SwapPlan): Promise<void> {
  const temporary = join(dataDir, `.${planName}`);
  await writeFile(temporary, `${JSON.stringify(plan, undefined, 2)}\n`, { mode: 0o600, flush: true });
  await rename(temporary, join(dataDir, planName));
  await syncPath(dataDir);
}

/** undefined if there is none. An etcd proxy has a folder of that name. */
async function readPlan(dataDir: string): Promise<SwapPlan | undefined> {
  try {
    return JSON.parse(await readFile(join(dataDir, planName), 'utf8')) as SwapPlan;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes(codeOf(error))) return undefined;
    throw error;
  }
}

/** Whether there is such a file or folder. @throws if that cannot be known: data that is taken for missing would be replaced */
export async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return false;
    throw error;
  }
}
