/**
 * Serializes entries, receipts and errors between threads. Bytes have separate memory and are transferred, not
 * copied.
 */
import { asError } from '../base/errors.ts';
import type { Transferable } from 'node:worker_threads';
import { StatusError } from '../meta/status.ts';
import type { Entry, WriteReceipt } from '../storage/types.ts';
import { StorageError } from '../storage/types.ts';
import { latelyRead } from '../storage/view/resting-texts.ts';
import { StoredEntry } from '../storage/view/stored-entry.ts';
import type { Bytes, SentEntry, SentError, SentReceipt } from './thread-messages.ts';

/** A copy in separate memory: transferring a view would transfer its whole pool. */
export function sentBytes(bytes: Uint8Array): Bytes {
  const own = new Uint8Array(bytes.length);
  own.set(bytes);
  return own;
}

export function receivedBytes({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** Threads read large entries where the serving thread has them: copies of many definitions would fill the memory. */
export function sentEntry(entry: Entry): SentEntry {
  const { collection, key, modRevision, isRecoded, mark = 0 } = entry;
  const sent = { collection, key, modRevision, isRecoded: isRecoded === true, mark };
  const atRest = entry.atRest?.();
  if (atRest === undefined) return { ...sent, bytes: entry.shared?.() ?? sentBytes(entry.bytes) };
  const { packed, opening, versionAt, size } = atRest;
  return { ...sent, bytes: packed, resting: { opening, versionAt, size } };
}

/** What this thread has read lately of texts that rest. */
const lately = latelyRead();

export function receivedEntry({ bytes, resting, ...rest }: SentEntry): Entry {
  if (resting !== undefined) {
    const { opening, versionAt, size } = resting;
    const packed = receivedBytes(bytes);
    const entry = new StoredEntry({ ...rest, bytes: packed, size });
    entry.versionAt = versionAt;
    entry.lay({ packed, opening: receivedBytes(opening) }, lately);
    return entry;
  }
  return { ...rest, bytes: receivedBytes(bytes), size: bytes.length, versionAt: 0, memo: undefined };
}

export function sentReceipt({ revision, mark, bytes }: WriteReceipt): SentReceipt {
  return { revision, mark, bytes: bytes && sentBytes(bytes) };
}

export function receivedReceipt({ revision, mark, bytes }: SentReceipt): WriteReceipt {
  return {
    revision,
    ...(mark !== undefined && { mark }),
    ...(bytes && { bytes: receivedBytes(bytes) }),
  };
}

export function sentError(error: unknown): SentError {
  if (error instanceof StatusError) {
    const cause = error.cause instanceof Error ? error.cause.stack : undefined;
    return { kind: 'status', status: error.status, cause };
  }
  if (error instanceof StorageError) {
    const { code, message, key, revision, current, taken } = error;
    return { kind: 'storage', code, message, key, revision, current: current && sentEntry(current), taken };
  }
  const { name, message, stack = '' } = asError(error);
  return { kind: 'other', name, message, stack };
}

export function receivedError(sent: SentError): Error {
  switch (sent.kind) {
    case 'status': {
      const { code, reason = '', message = '', details, metadata } = sent.status;
      return new StatusError(code, reason, message, {
        metadata,
        ...(details && { details }),
        ...(sent.cause !== undefined && { cause: sent.cause }),
      });
    }
    case 'storage': {
      const { code, message, current, ...about } = sent;
      return new StorageError(code, message, { ...about, current: current && receivedEntry(current) });
    }
    case 'other':
      return Object.assign(new Error(sent.message), { name: sent.name, stack: sent.stack });
  }
}

/** The error of what cannot be read. */
export function receivedProblem(sent: SentError): StorageError {
  const error = receivedError(sent);
  return error instanceof StorageError ? error : new StorageError('unreadable', error.message);
}

/** The buffers of a message, for the transfer list. */
export function memoryOf(...parts: readonly unknown[]): Transferable[] {
  return parts.flatMap((part): Transferable[] => {
    if (part instanceof Uint8Array) return part.buffer instanceof ArrayBuffer ? [part.buffer] : [];
    if (Array.isArray(part)) return memoryOf(...(part as readonly unknown[]));
    const isHolder = typeof part === 'object' && part !== null;
    return isHolder ? [...bytesIn(part)] : [];
  });
}

function bytesIn(part: object): Transferable[] {
  const { bytes, entry, current } = part as { bytes?: unknown; entry?: unknown; current?: unknown };
  return memoryOf(...[bytes, entry, current].filter((held) => held !== undefined));
}
