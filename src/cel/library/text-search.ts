/** Searches of texts in texts, which at worst take as many steps as their lengths multiply to. */
import { EvaluationCut } from '../language/errors.ts';
import { maxRunMilliseconds, type Run } from '../run/run.ts';

/** Shorter texts are found in the time of a look at each character. */
const longPart = 64;
const maxTried = 10_000_000;

/** Longer texts are not taken apart: it would take some 10 ms at worst, when every character is a part. */
const maxParted = 250_000;

/** To call before a search. @throws EvaluationCut when the search may take too long */
export function checkSearch(run: Run, text: string, part: string): void {
  run.work(text.length / 64);
  if (part.length >= longPart && text.length * part.length > maxTried) throw tooLong('the search for a text');
}

/** To call before a text is taken apart. @throws EvaluationCut when that may take too long */
export function checkParts(run: Run, text: string, separator: string): void {
  checkSearch(run, text, separator);
  checkLength(text);
}

/** @throws EvaluationCut when the text has too many characters to look at each one */
export function checkLength(text: string): void {
  if (text.length > maxParted) throw tooLong('taking a text apart');
}

/** An operation is not begun. @param what it is */
export function tooLong(what: string): EvaluationCut {
  const limit = `${String(maxRunMilliseconds)} ms`;
  return new EvaluationCut('time', `operation cancelled: ${what} might take more than ${limit}`);
}
