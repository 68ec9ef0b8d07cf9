/** Errors of a storage, told to another thread: with the codes of what caused them, by which clients are told what is wrong. */
import { codeOf, messageOf } from '../../base/errors.ts';
import { StorageError, type StorageErrorCode } from '../types.ts';

export interface ToldProblem {
  /** Undefined for an error that is a bug. */
  readonly code: StorageErrorCode | undefined;
  readonly problem: string;
  /** Codes of Node and OpenSSL, from the outermost cause on. */
  readonly causes: readonly string[];
}

/** More causes than any error here has. */
const mostCauses = 8;

export function problemOf(error: unknown): ToldProblem {
  const code = error instanceof StorageError ? error.code : undefined;
  return { code, problem: messageOf(error), causes: causesOf(error) };
}

export function errorOf({ code, problem, causes }: ToldProblem): Error {
  const cause = causes.reduceRight<Error | undefined>(
    (inner, text) => Object.assign(new Error(problem, { cause: inner }), { code: text }),
    undefined,
  );
  return code === undefined ? new Error(problem, { cause }) : new StorageError(code, problem, { cause });
}

function causesOf(error: unknown): string[] {
  const causes: string[] = [];
  let cause = error instanceof Error ? error.cause : undefined;
  for (let depth = 0; depth < mostCauses && cause instanceof Error; depth += 1, cause = cause.cause) {
    const code = codeOf(cause);
    if (code !== '') causes.push(code);
  }
  return causes;
}
