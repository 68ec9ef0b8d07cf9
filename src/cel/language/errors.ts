/** What goes wrong with an expression. */

/** An expression has no value: an operand is of a wrong type, a key is missing, a number too large. `&&`, `||` may absorb it. */
export class EvaluationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'EvaluationError';
  }
}

/** The evaluation was cut: it cost, or took, more than it may. Nothing absorbs it. */
export class EvaluationCut extends Error {
  /** `cost`: by its cost; `time`: it held the thread for too long. */
  readonly reason: 'cost' | 'time';
  constructor(reason: 'cost' | 'time', message: string) {
    super(message);
    this.name = 'EvaluationCut';
    this.reason = reason;
  }
}

/** An evaluation has asked what is not known yet: it is repeated once it is. Nothing absorbs it. */
export class AwaitedAnswer extends Error {
  /** Resolves when the answer is known. */
  readonly answered: Promise<unknown>;
  constructor(answered: Promise<unknown>) {
    super('an answer is awaited');
    this.name = 'AwaitedAnswer';
    this.answered = answered;
  }
}

/** A mistake in the text of an expression. */
export interface Issue {
  /** Offset in the text. */
  readonly at: number;
  readonly message: string;
}

/** An expression cannot be read. */
export class SyntaxIssue extends Error {
  readonly at: number;
  constructor(at: number, message: string) {
    super(message);
    this.name = 'SyntaxIssue';
    this.at = at;
  }
}

/** Most characters of a line that a message shows. */
const maxShownLine = 200;

/** Issues as compilers of this language print them: where, what, the line and a mark below it. */
export function issuesText(text: string, issues: readonly Issue[]): string {
  return issues.map((issue) => issueText(text, issue)).join('\n');
}

function issueText(text: string, { at, message }: Issue): string {
  const before = text.slice(0, at).split('\n');
  const column = (before.at(-1) ?? '').length;
  const line = text.split('\n', before.length).at(-1) ?? '';
  const head = `ERROR: <input>:${String(before.length)}:${String(column + 1)}: ${message}`;
  if (line.length > maxShownLine) return head;
  return `${head}\n | ${line}\n | ${'.'.repeat(column)}^`;
}
