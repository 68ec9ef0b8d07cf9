/** Runs `npm run simulate` as users do, in a process of its own: the clock of a jest suite is not the world's. */
import { join } from 'node:path';
import { Child } from '../../support/child-process.ts';
import { keepingCode } from '../../support/kept-code.ts';
import { repositoryRoot } from '../../support/paths.ts';

/** What a run says at its end. */
export interface Report {
  readonly histories: number;
  /** Of these, those with controllers. */
  readonly withControllers: number;
  readonly steps: number;
  readonly operations: number;
  readonly failures: number;
  /** Equal only if all histories were. */
  readonly digest: string;
  /** The violations, with the plan that repeats them. */
  readonly text: string;
}

/** @param args of the command. @throws Error with what it printed if it does not end as it should */
export async function runSimulation(args: readonly string[]): Promise<Report> {
  const child = await Child.start({
    name: 'simulation',
    program: process.execPath,
    // What a history makes is garbage with it: with room for a whole one, little of it is copied.
    args: ['--max-semi-space-size=64', join(repositoryRoot, 'test', 'simulation', 'main.ts'), ...args],
    env: keepingCode(),
  });
  await child.closed;
  const text = child.output();
  const last = text.trimEnd().split('\n').at(-1) ?? '';
  try {
    return { ...(JSON.parse(last) as Omit<Report, 'text'>), text };
  } catch {
    throw new Error(`the simulation ended early: ${text}`);
  }
}
