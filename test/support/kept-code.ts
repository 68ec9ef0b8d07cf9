/** What programs of tests have compiled, kept for the next process of the same program. */
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repositoryRoot } from './paths.ts';

const kept = join(repositoryRoot, '.orch', 'test-compile-cache');

/**
 * The environment of a program that tests start often out of its sources: without it Node takes the types out of every
 * module and compiles it at each start, which is more than half of a start's processor time.
 * @param env what else is in it @param folder where compiled code is kept
 */
export function keepingCode(env: NodeJS.ProcessEnv = process.env, folder = kept): NodeJS.ProcessEnv {
  // The service keeps its own beside it, for its user only.
  mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
  return { ...env, NODE_COMPILE_CACHE: folder };
}
