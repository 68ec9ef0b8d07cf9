/**
 * Puts restored data in the place of a member's old data, which is kept under a dated name.
 *
 *   new data complete ─▶ plan written ─▶ old data renamed ─▶ new data renamed ─▶ plan removed
 *
 * Between the renames there is no data, and an etcd that starts then would begin an empty cluster. The plan is therefore a
 * file named `proxy` beside the data: etcd refuses to start on a data directory that holds one (3.4 to 3.6: it stands for
 * a mode that the file does not fit). Where the plan is found, the swap is finished from wherever it stopped.
 */
import { open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../base/errors.ts';
import { syncPath } from './sync-path.ts';

const planName = 'proxy';
const dataName = 'member';

interface SwapPlan {
  /** For whoever finds the file. */
  readonly note: string;
  /** Where the new data is, from the data directory. */
  readonly from: string;
  /** The name that the old data gets. */
  readonly aside: string;
}

const note =
  'A restore was interrupted here and etcd must not start. "orch-apiserver restore", or "orch-apiserver serve" where ' +
  'it runs this etcd, finishes it.';

/** Puts the data at `from` (below the data directory) in place. Gives the name of the old data; '' where there was none. */
export async function swapData(dataDir: string, from: string, now: Date): Promise<string> {
  const aside = `${dataName}.before-restore-${now.toISOString().replaceAll(':', '-')}`;
  await writePlan(dataDir, { note, from, aside });
  return (await finishSwap(dataDir)) ?? '';
}

/** Finishes a swap that was interrupted. Gives the name of the old data; undefined: there is nothing to finish. */
export async function finishSwap(dataDir: string): Promise<string | undefined> {
  const plan = await readPlan(dataDir);
  if (plan === undefined) return undefined;
  const names = await readdir(dataDir);
  const isNewThere = await exists(join(dataDir, plan.from));
  if (isNewThere) {
    if (names.includes(dataName)) await rename(join(dataDir, dataName), join(dataDir, plan.aside));
    await rename(join(dataDir, plan.from), join(dataDir, dataName));
    await syncPath(dataDir);
  }
  await rm(join(dataDir, planName));
  await syncPath(dataDir);
  return (await exists(join(dataDir, plan.aside))) ? plan.aside : '';
}

/** Appears whole or not at all. */
async function writePlan(dataDir: string, plan: SwapPlan): Promise<void> {
  const temporary = join(dataDir, `.${planName}`);
  await writeFile(temporary, `${JSON.stringify(plan, undefined, 2)}\n`, { mode: 0o600, flush: true });
  await rename(temporary, join(dataDir, planName));
  await syncPath(dataDir);
}

/** undefined: there is none. An etcd that runs as a proxy has a folder of that name. */
async function readPlan(dataDir: string): Promise<SwapPlan | undefined> {
  try {
    return JSON.parse(await readFile(join(dataDir, planName), 'utf8')) as SwapPlan;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes(codeOf(error))) return undefined;
    throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  return open(path, 'r').then(
    async (handle) => {
      await handle.close();
      return true;
    },
    () => false,
  );
}
