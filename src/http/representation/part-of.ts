/** The parts of forms that another thread makes. */
import type { WatchItem } from '../../registry/types.ts';
import type { Entry } from '../../storage/types.ts';
import type { FormPart, FramePart, Representation } from './types.ts';

/**
 * A part of the form of an entry, as bytes.
 * @throws Error if the form has no such part
 */
export function partOf(form: Representation, entry: Entry, part: FormPart): Buffer {
  if (part === 'object') return form.object(entry);
  if (isFrame(part)) return frameIn(form, entry, part);
  const made = part === 'kept' ? form.kept?.make(entry) : form.item?.(entry, part === 'firstItem');
  if (!made) throw new Error(`${form.contentType} has no ${part} to be made elsewhere`);
  return made;
}

function isFrame(part: FormPart): part is FramePart {
  return part.includes(' ');
}

function frameIn(form: Representation, event: Entry, part: FramePart): Buffer {
  const [place, type] = part.split(' ') as ['first' | 'next', WatchItem['type']];
  return ((place === 'next' ? form.next : undefined) ?? form).frame({ type, event });
}
