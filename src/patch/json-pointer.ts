/** JSON pointers (RFC 6901): `/spec/containers/0/image`, with `~1` for a slash and `~0` for a tilde. */
import { quoted } from '../base/short-text.ts';
import { PatchError } from './patch-error.ts';

/** The unescaped steps of a pointer; '' names the whole document. @throws PatchError `malformed` */
export function parsePointer(text: string): readonly string[] {
  if (text === '') return [];
  if (!text.startsWith('/')) {
    throw new PatchError('malformed', `path ${quoted(text)} must be empty or start with "/"`);
  }
  if (/~(?![01])/.test(text)) {
    throw new PatchError('malformed', `path ${quoted(text)} has a "~" that is neither "~0" nor "~1"`);
  }
  const steps = text.slice(1).split('/');
  return text.includes('~') ? steps.map(unescaped) : steps;
}

function unescaped(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** How many steps a pointer has, without taking it apart. */
export function countSteps(text: string): number {
  let count = 0;
  for (let at = text.indexOf('/'); at >= 0; at = text.indexOf('/', at + 1)) count += 1;
  return count;
}
