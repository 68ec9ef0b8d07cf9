/** Keys and certificates of all control planes of this thread. */
import { makeMemoryPki, type MemoryPki } from '../../pki/memory-pki.ts';

let made: Promise<MemoryPki> | undefined;

export function authorities(): Promise<MemoryPki> {
  made ??= makeMemoryPki(Date.now());
  return made;
}
