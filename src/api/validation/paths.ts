/** Paths of files inside containers and volumes. */
import { invalid, required } from '../../meta/field-error.ts';
import type { Rule } from './rules.ts';
import { allOf } from './rules.ts';

/** No step of the path goes up. */
export const noBacksteps: Rule<string> = (value, path) =>
  value.split('/').includes('..') ? [invalid(path, value, "must not contain '..'")] : [];

/** Relative and without steps up. */
export const relativeDescendingPath: Rule<string> = (value, path) =>
  allOf(
    value.startsWith('/') ? [invalid(path, value, 'must be a relative path')] : [],
    noBacksteps(value, path),
  );

/** A file name inside a volume: not empty, relative, not starting with `..`. */
export const volumeFilePath: Rule<string> = (value, path) => {
  if (value === '') return [required(path)];
  const errors = relativeDescendingPath(value, path);
  return value.startsWith('..') && !value.startsWith('../')
    ? [...errors, invalid(path, value, "must not start with '..'")]
    : errors;
};

/** File permission bits, 0 to 0777. */
export const fileMode: Rule<number> = (value, path) =>
  value < 0 || value > 0o777
    ? [invalid(path, value, 'must be a number between 0 and 0777 (octal), both inclusive')]
    : [];
