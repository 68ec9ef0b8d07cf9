/** Entry point of the thread in which the control planes of a process run; started by `src/testing/host-thread.ts`. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { KeptScript } from '../../base/kept-script.ts';
import {
  compiledCode,
  keepCompiledCode,
  storeCompiledCode,
  usePoolsOfWrites,
} from '../../base/prepare-process.ts';

/** All modules of the thread in one, which the build makes; sources have none. */
const bundle = join(import.meta.dirname, 'thread.cjs');

/** What has run by then. */
const stages = { started: 1, rehearsed: 2 };

usePoolsOfWrites();
keepCompiledCode();
if (existsSync(bundle)) {
  const script = new KeptScript(bundle, compiledCode);
  const { answerMessages } = script.run() as typeof import('./answer-messages.ts');
  answerMessages({
    started: () => {
      script.keep(stages.started);
    },
    // Once for each build: the next processes find it compiled.
    ...(script.stage < stages.rehearsed && {
      rehearsed: () => {
        script.keep(stages.rehearsed);
      },
    }),
  });
} else {
  const { answerMessages } = await import('./answer-messages.ts');
  answerMessages({ started: storeCompiledCode });
}
