/** Regular expressions: on the linear-time engine, and small enough that a match cannot hold the thread. */
import { compilationCost, patternOf } from '../../schema/structural/pattern.ts';
import { EvaluationError } from '../language/errors.ts';
import { global, member, type CallCost, type Overload } from '../language/functions.ts';
import { NativeList } from '../language/values.ts';
import type { Run } from '../run/run.ts';
import { tooLong } from './text-search.ts';

/** A pattern of more instructions takes some 10 ms to compile. */
const maxCompilation = 5_000;

/** Instructions times characters that a match may have to try: some 10 ms at worst. */
const maxTried = 600_000;
/** Most matches try far less than they might. */
const triedPerWork = 30;

type Compiled = NonNullable<ReturnType<typeof patternOf>>;

/** @throws EvaluationError if the text is no pattern; EvaluationCut if the match may take too long */
function compiledFor(run: Run, pattern: string, text: string): Compiled {
  const compilation = compilationCost(pattern);
  if (compilation > maxCompilation) throw tooLong('a match of the pattern');
  run.work(compilation / 4);
  const compiled = patternOf(pattern);
  if (!compiled) throw new EvaluationError(`error parsing regexp: ${JSON.stringify(pattern.slice(0, 50))}`);
  const tried = text.length * compiled.programSize();
  if (tried > maxTried) throw tooLong('a match of the pattern');
  run.work(tried / triedPerWork);
  return compiled;
}

/** As the reference counts it: a part of the pattern for each character. */
const matchCost: CallCost = (text: string, pattern: string) =>
  Math.ceil((1 + text.length) * 0.1) * Math.ceil(pattern.length * 0.25);

function matches(run: Run, text: string, pattern: string): boolean {
  return compiledFor(run, pattern, text).matcher(text).find();
}

export const matching: readonly Overload[] = [
  global('matches', 'matches', 'string, string -> bool', matches, matchCost),
  member('matches', 'matches_string', 'string, string -> bool', matches, matchCost),
];

function find(run: Run, text: string, pattern: string): string {
  const matcher = compiledFor(run, pattern, text).matcher(text);
  return matcher.find() ? (matcher.group() ?? '') : '';
}

function findAll(run: Run, text: string, pattern: string, limit = -1n): NativeList {
  const matcher = compiledFor(run, pattern, text).matcher(text);
  const found: string[] = [];
  while ((limit < 0n || BigInt(found.length) < limit) && matcher.find()) {
    run.work(1);
    found.push(matcher.group() ?? '');
  }
  return new NativeList(found);
}

/** Whether a text is a pattern: literals are checked before they run. */
export function isPattern(pattern: string): boolean {
  return compilationCost(pattern) <= maxCompilation && patternOf(pattern) !== undefined;
}

/** The library of searches. */
export const searches: readonly Overload[] = [
  member('find', 'string_find_string', 'string, string -> string', find, matchCost),
  member(
    'findAll',
    'string_find_all_string',
    'string, string -> list(string)',
    (run, text: string, pattern: string) => findAll(run, text, pattern),
    matchCost,
  ),
  member('findAll', 'string_find_all_string_int', 'string, string, int -> list(string)', findAll, matchCost),
];
