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
  return text
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}
