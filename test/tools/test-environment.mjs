/** Jest's environment of Node, which notes in a folder which file each process of the run works on. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TestEnvironment } from 'jest-environment-node';

/** Where notes go: a folder of the run (`deploy/bootstrap/hanging-files.mjs` reads it). */
const folder = process.env.ORCH_TEST_RUNNING;
const note = folder === undefined ? undefined : join(folder, String(process.pid));

export default class NotingEnvironment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    if (note !== undefined) writeFileSync(note, context.testPath);
  }

  async teardown() {
    if (note !== undefined) rmSync(note, { force: true });
    await super.teardown();
  }
}
