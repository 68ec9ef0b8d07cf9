/** The text of an object that may be stored. */
import { maxStoredBytes } from '../../codec/limits.ts';
import { storedText } from '../../codec/stored.ts';
import { asJson, type ApiObject } from '../../meta/object.ts';
import { tooLargeForStore } from '../storage-errors.ts';

/**
 * The stored text of an object, also for a dry run. What no etcd takes is refused here, before it is copied from thread to
 * thread and into a message.
 * @throws StatusError 413 beyond `maxStoredBytes`
 */
export function storableBytes(object: ApiObject): Buffer {
  const text = storedText(asJson(object));
  // The bytes are at least as many as the characters.
  if (text.length > maxStoredBytes) throw tooLargeForStore();
  return Buffer.from(text);
}
