/** Conditions in the status of an object. */
import { listed, objectOf, resultOf, type MatcherResult } from './received.ts';

interface Condition {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface ConditionDetails {
  readonly reason?: string;
  /** A part of it, or what it matches. */
  readonly message?: string | RegExp;
}

/** Has the object a condition, with this status (default `True`), reason and message? */
export function toHaveCondition(
  received: unknown,
  type: string,
  status = 'True',
  details: ConditionDetails = {},
): MatcherResult {
  const conditions = conditionsOf(received);
  const pass = conditions.some((each) => each.type === type && each.status === status && has(each, details));
  const expected = `to have condition ${[type, status].join(' ')}${wordsOf(details)}`;
  return resultOf(received, { pass, expected, there: listed('conditions', conditions.map(lineOf)) });
}

/** Is the status of the newest generation of the object? */
export function toBeObserved(received: unknown): MatcherResult {
  const { metadata = {}, status } = objectOf(received);
  const { observedGeneration } = (status ?? {}) as { readonly observedGeneration?: number };
  const { generation } = metadata;
  const there = `its generation is ${String(generation)}, status.observedGeneration ${String(observedGeneration)}`;
  const pass =
    generation !== undefined && observedGeneration !== undefined && observedGeneration >= generation;
  return resultOf(received, { pass, expected: 'to be observed at its generation', there: [there] });
}

function conditionsOf(received: unknown): readonly Condition[] {
  const { conditions } = (objectOf(received).status ?? {}) as { readonly conditions?: unknown };
  return Array.isArray(conditions) ? (conditions as readonly Condition[]) : [];
}

function has(condition: Condition, { reason, message }: ConditionDetails): boolean {
  if (reason !== undefined && condition.reason !== reason) return false;
  if (message === undefined) return true;
  const text = condition.message ?? '';
  return typeof message === 'string' ? text.includes(message) : message.test(text);
}

function wordsOf({ reason, message }: ConditionDetails): string {
  const words = [reason && `reason ${reason}`, message !== undefined && `message ${String(message)}`].filter(
    Boolean,
  );
  return words.length === 0 ? '' : ` with ${words.join(' and ')}`;
}

function lineOf({ type, status, reason, message }: Condition): string {
  const why = [reason, message].filter((text) => text !== undefined && text !== '').join(': ');
  return `${String(type)} ${String(status)}${why === '' ? '' : `  ${why}`}`;
}
