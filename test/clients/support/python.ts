/** A Python of the tests' own, with packages. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { findProgram, repositoryRoot } from '../../support/paths.ts';
import { oneAtATime } from '../../support/one-at-a-time.ts';

const execute = promisify(execFile);

/** Milliseconds until packages must be there. */
const patience = 300_000;

/** The path of Python 3; undefined where none is installed. */
export function findPython(): string | undefined {
  return findProgram('python3');
}

/**
 * A Python with these packages, which is kept beside what else tests have fetched.
 * @throws Error with what pip printed when one of them cannot be had
 */
export async function pythonWith(...packages: readonly string[]): Promise<string> {
  const folder = join(repositoryRoot, '.orch', 'languages', 'python');
  await oneAtATime(`${folder}.lock`, () => setUp(folder, packages));
  return pythonIn(folder);
}

function pythonIn(folder: string): string {
  return join(folder, 'bin', 'python');
}

async function setUp(folder: string, packages: readonly string[]): Promise<void> {
  const python = pythonIn(folder);
  const at = { cwd: repositoryRoot, timeout: patience };
  await mkdir(folder, { recursive: true });
  if (!existsSync(python)) await execute(findPython() ?? 'python3', ['-m', 'venv', folder], at);
  const quiet = ['--quiet', '--disable-pip-version-check'];
  await execute(python, ['-m', 'pip', 'install', ...quiet, ...packages], at);
}
