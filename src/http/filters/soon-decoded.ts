/** Which bodies the serving thread may decode beside its requests, for the audit log: in some ten milliseconds. */
import { jsonMediaType } from '../../codec/decode-body.ts';
import { smallBodyBytes } from '../../codec/limits.ts';
import { parseMediaType } from '../../codec/media-type.ts';
import { hasMoreMembers } from '../../codec/member-count.ts';

/** Members and collections of a large body, which take the time; long texts take little. */
const mostMembers = 5_000;

/** Whether a body of this type is small, or JSON of few members. */
export function isSoonDecoded(bytes: Buffer, contentType: string): boolean {
  if (bytes.length <= smallBodyBytes) return true;
  return isJson(contentType) && !hasMoreMembers(bytes, mostMembers);
}

/** Whether this is the type of a JSON text, patches included. */
export function isJson(contentType: string): boolean {
  const essence = contentType === '' ? jsonMediaType : parseMediaType(contentType)?.essence;
  return essence === jsonMediaType || essence?.endsWith('-patch+json') === true;
}
