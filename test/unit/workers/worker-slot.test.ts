/**
 * A worker that never says hello: Node waits for a thread that the system does not give it, and runs no program. And one that
 * hangs later.
 */
import cluster from 'node:cluster';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../../../src/base/start-error.ts';
import { silentLogger } from '../../../src/observe/log.ts';
import { WorkerSlot } from '../../../src/workers/worker-slot.ts';
import type { WorkerOrder } from '../../../src/workers/worker-messages.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor, within } from '../../support/wait-for.ts';

/** Takes the first word of the file as what it is to do: `hang`, or serve, and then `end`, `loop`, `stop` or stay. */
const program = `
import { readFileSync, writeFileSync } from 'node:fs';
const file = process.argv[2];
const [word, ...rest] = readFileSync(file, 'utf8').split(' ');
writeFileSync(file, rest.join(' '));
if (word === 'hang') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
process.on('message', ({ kind }) => {
  if (kind === 'stop') process.exit();
  process.send({ kind: 'serving', port: 1 }, () => {
    if (word === 'end') process.exit(1);
    if (word === 'stop') process.kill(process.pid, 'SIGSTOP');
    while (word === 'loop');
  });
});
process.send({ kind: 'hello' });
setInterval(() => process.send({ kind: 'alive' }), 100);
`;

const [waitMs, testMs] = [40_000, 100_000];
let folder: TempFolder;
let script: string;
let warnings: string[];
let slots: WorkerSlot[];

beforeEach(async () => {
  folder = await makeTempFolder('worker-slot');
  script = join(folder.path, 'script');
  [warnings, slots] = [[], []];
  const exec = join(folder.path, 'program.mjs');
  writeFileSync(exec, program);
  cluster.setupPrimary({
    ...{ exec, args: [script], execArgv: [], serialization: 'advanced' },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
});
afterEach(async () => {
  await Promise.all(slots.map((slot) => (slot.kill(), slot.close())));
  await folder.remove();
});

/** What is left to do by later workers. */
const left = (): string => readFileSync(script, 'utf8');

function begin(words: string, ups: () => void = () => undefined): WorkerSlot {
  writeFileSync(script, words);
  const slot = new WorkerSlot({
    ...{ number: 1, stopMs: 10_000, helloMs: 5_000, silentMs: 5_000 },
    logger: { ...silentLogger, warn: (message) => warnings.push(message) },
    order: () => Promise.resolve({} as WorkerOrder),
    scrape: () => Promise.resolve([]),
    areOthersUp: () => false,
    onLoaded: () => Promise.resolve(),
    onUp: ups,
    ...{ onDown: () => undefined, onEnd: () => undefined, onRestart: () => undefined },
  });
  slots.push(slot);
  return slot;
}

const silent = 'a worker gives no sign of life, and is killed';
const killed = 'a new worker gives no sign of life, and is killed';

test(
  'one that takes the place of another is killed, and the next one serves',
  async () => {
    let served = 0;
    begin('end hang stay', () => (served += 1));
    await waitFor('the third to serve', () => served === 2 && left() === '', { timeout: waitMs });
    expect(warnings).toEqual([killed]);
  },
  testMs,
);

test(
  'the first one ends the start, instead of keeping it silent; one that said hello is left alone',
  async () => {
    const heard = begin('stay');
    await within('it to serve', waitMs, heard.firstUp);
    const failed = begin('hang stay').firstUp.catch((error: unknown) => error);
    expect(await within('the end of the start', waitMs, failed)).toBeInstanceOf(StartError);
    expect([heard.isUp, warnings]).toEqual([true, [killed]]);
  },
  testMs,
);

test.each(['loop', 'stop'])(
  'one that serves and then hangs (%s) is killed, and another one serves',
  async (hang) => {
    let served = 0;
    const slot = begin(`${hang} stay`, () => (served += 1));
    await waitFor('the second to serve', () => served === 2, { timeout: waitMs });
    expect([slot.isUp, served, warnings]).toEqual([true, 2, [silent]]);
  },
  testMs,
);
