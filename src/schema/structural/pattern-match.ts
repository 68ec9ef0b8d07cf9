/** Whether a text matches a pattern, within a budget: the time grows with the product of their lengths at worst. */
import { workedMicroseconds } from '../../base/thread-work.ts';
import { compilationCost, patternOf } from './pattern.ts';
import type { StepBudget } from './step-budget.ts';

/** What one match takes at least, and what an instruction takes to compile, in visits of a small value. */
const leastSteps = 2;
const compilationSteps = 30;

/** Instructions that are tried for one character in the time of a visit, when all of them are alive. */
const triedPerStep = 3;
/** Most matches take a hundredth of the worst time; above so many steps it is worth while to look at the clock. */
const clockedSteps = 2_000;
const stepsPerMicrosecond = 20;

/** Where a character decides at once, it takes a visit at most; so many of them are among what any match takes. */
const freeCharacters = 64;
const ordinaryMicroseconds = 0.1;

/** A match cannot be interrupted: no more than some 50 ms of it, but for patterns as small as most are. */
const maxMatchSteps = 1_000_000;
const smallProgram = 48;

/**
 * Whether the pattern is found in the text; false when it is no pattern.
 * @throws StepsExceeded when the match takes, or might take, more than the budget has
 */
export function isMatch(pattern: string, text: string, budget: StepBudget): boolean {
  const ordinary = leastSteps + Math.max(0, text.length - freeCharacters);
  budget.spend(ordinary + compilationCost(pattern) * compilationSteps);
  const compiled = patternOf(pattern);
  if (!compiled) return false;
  const instructions = compiled.programSize();
  const worst = (text.length * instructions) / triedPerStep;
  if (worst > maxMatchSteps && instructions > smallProgram) budget.spend(Infinity);
  if (worst <= clockedSteps) return compiled.matcher(text).find();
  const begun = workedMicroseconds();
  const isFound = compiled.matcher(text).find();
  const surplus = workedMicroseconds() - begun - text.length * ordinaryMicroseconds;
  budget.spend(Math.min(worst, Math.max(0, surplus) * stepsPerMicrosecond));
  return isFound;
}
