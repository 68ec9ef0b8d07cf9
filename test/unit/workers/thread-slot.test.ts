/** A serving thread that cannot be made: the system may have no thread or memory left, for a while. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../../../src/base/start-error.ts';
import { silentLogger } from '../../../src/observe/log.ts';
import { ThreadSlot } from '../../../src/workers/thread-slot.ts';
import type { WorkerOrder } from '../../../src/workers/worker-messages.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor, within } from '../../support/wait-for.ts';

const program = `
import { parentPort } from 'node:worker_threads';
parentPort.on('message', ({ kind }) => {
  if (kind === 'start') parentPort.postMessage({ kind: 'serving', port: 1 });
  else process.exit();
});
parentPort.postMessage({ kind: 'hello' });
`;
/** Node makes no thread for it, and throws. */
const unmade = 'no-path';

let folder: TempFolder;
let good: string;
let slot: ThreadSlot | undefined;

beforeEach(async () => {
  folder = await makeTempFolder('thread-slot');
  good = join(folder.path, 'program.mjs');
  writeFileSync(good, program);
});
afterEach(async () => {
  await slot?.close();
  await folder.remove();
});

/** The program of each thread in turn; the last one for all that follow. */
function begin(programs: string[], onUp: () => void, ended: object[]): ThreadSlot {
  slot = new ThreadSlot({
    get program() {
      return (programs.length > 1 ? programs.shift() : programs[0]) ?? '';
    },
    ...{ number: 1, stopMs: 10_000 },
    logger: { ...silentLogger, error: (_message, fields = {}) => ended.push(fields) },
    order: () => ({ order: {} as WorkerOrder, ports: [] }),
    scrape: () => Promise.resolve([]),
    onLoaded: () => Promise.resolve(),
    onUp,
    ...{ onDown: () => undefined, onEnd: () => undefined, onReplace: () => undefined },
  });
  return slot;
}

test('it is tried again, as after the end of a thread', async () => {
  const ended: object[] = [];
  let served = 0;
  const up = (): void => {
    served += 1;
    if (served === 1) slot?.send({ kind: 'stop' });
  };
  begin([good, unmade, good], up, ended);
  await waitFor('the next thread to serve', () => served === 2, { timeout: 30_000 });
  expect(ended).toMatchObject([
    { reason: 'it exited with 0' },
    { reason: expect.stringContaining('absolute path') as string },
  ]);
});

test('where it is the first, the start fails', async () => {
  const { firstUp } = begin([unmade], () => undefined, []);
  const failed = firstUp.catch((error: unknown) => error);
  expect(await within('the end of the start', 30_000, failed)).toBeInstanceOf(StartError);
});
