/** Makes entries of values of etcd: decrypts them, takes their mark off and brings them into the current form. */
import { isUtf8 } from 'node:buffer';
import { Slice } from '../../base/cooperate.ts';
import { messageOf } from '../../base/errors.ts';
import { DecodeError } from '../../codec/decode-error.ts';
import type { OpenedValue, Transformer } from '../encryption/transformer.ts';
import type { KeyValue } from '../etcd/message-types.ts';
import { numberOf } from '../etcd/etcd-messages.ts';
import type { KeySpace } from '../keys.ts';
import type { Recode, StorageLogger, StorageMetrics } from '../options.ts';
import { StorageError, type CollectionId, type ObjectKey, type Revision } from '../types.ts';
import { markOf, withoutMark, type WriteMark } from '../write/mark.ts';
import type { RestingTexts } from './resting-texts.ts';
import { StoredEntry } from './stored-entry.ts';
import { ValueRecoding, type ReadValue } from './value-recoding.ts';

/** A stored revision of an object that cannot be read: no key decrypts it, or it is no object. */
export class UnreadableEntry {
  readonly collection: CollectionId;
  readonly key: ObjectKey;
  readonly modRevision: Revision;
  readonly problem: string;

  constructor(address: { collection: CollectionId; key: ObjectKey }, modRevision: Revision, problem: string) {
    this.collection = address.collection;
    this.key = address.key;
    this.modRevision = modRevision;
    this.problem = problem;
  }

  /** The error of reads of it. */
  get error(): StorageError {
    const { key, collection, modRevision: revision, problem } = this;
    const message = `the stored value of ${collection}/${key} cannot be read: ${problem}`;
    return new StorageError('unreadable', message, { key, revision });
  }
}

/** Why a watch cannot tell what became of an object that could not be read. @param revision of the change */
export function uncoveredError(
  { collection, key, problem }: UnreadableEntry,
  revision: Revision,
): StorageError {
  const message = `what changed of ${collection}/${key} is not known, list again: its state before cannot be read: ${problem}`;
  return new StorageError('compacted', message, { key, revision });
}

export interface EntryReaderDependencies {
  readonly keys: KeySpace;
  readonly recode: Recode;
  readonly transformer: Transformer;
  readonly logger: StorageLogger;
  readonly metrics: Pick<StorageMetrics, 'observeUnreadable'>;
  /** Compresses large texts that are not read. Absent: all stay as they are. */
  readonly resting?: Pick<RestingTexts, 'add'>;
}

/** Values that are decrypted in the same step; more take steps of their own. */
const bytesAtOnce = 64 * 1024;
/** Larger values may take steps to bring into the current form. */
const largeBytes = 64 * 1024;
/** Values that wait for a KMS plugin at once. */
const openAtOnce = 64;
/** Unreadable values that are logged one by one; the metric counts all. */
const maxLogged = 50;

type Opened = OpenedValue | { readonly problem: string };

/** AES-CBC does not notice changed values; a block of such a value is random. */
const damaged: Opened = { problem: 'the decrypted value is not text: the stored data is damaged' };

export class EntryReader {
  readonly #deps: EntryReaderDependencies;
  /** What `prepare` decrypted. */
  readonly #opened = new WeakMap<KeyValue, Opened>();
  readonly #recoding: ValueRecoding;
  #logged = 0;

  constructor(deps: EntryReaderDependencies) {
    this.#deps = deps;
    this.#recoding = new ValueRecoding(deps);
  }

  /**
   * Decrypts values and checks large ones, in slices. To be awaited before they are read; undefined if they can be read at
   * once, as nearly all can that are not encrypted.
   */
  prepare(kvs: readonly KeyValue[]): Promise<void> | undefined {
    const opening = this.#openSealed(kvs);
    return opening ? opening.then(() => this.#recodeLarge(kvs)) : this.#recodeLarge(kvs);
  }

  #recodeLarge(kvs: readonly KeyValue[]): Promise<void> | undefined {
    const large = kvs.filter(({ value }) => value.length > largeBytes);
    return large.length === 0 ? undefined : this.#recoding.prepare(this.#readValues(large));
  }

  *#readValues(kvs: readonly KeyValue[]): Generator<ReadValue> {
    for (const kv of kvs) {
      const address = this.#deps.keys.parse(kv.key);
      if (address === undefined || address.key === '') continue;
      const opened = this.#openedOf(address.collection, kv);
      if ('value' in opened) yield { kv, ...address, ...unmarked(opened.value) };
    }
  }

  #openSealed(kvs: readonly KeyValue[]): Promise<void> | undefined {
    const { transformer } = this.#deps;
    const sealed = kvs.filter((kv) => transformer.isSealed(kv.value));
    if (sealed.length === 0) return undefined;
    let bytes = 0;
    for (const kv of sealed) bytes += kv.value.length;
    if (bytes > bytesAtOnce) return this.#openAll(sealed);
    const pending = sealed.map((kv) => this.#open(kv)).filter((opening) => opening instanceof Promise);
    return pending.length === 0 ? undefined : Promise.all(pending).then(() => undefined);
  }

  /** An entry with its own copy of the bytes: a view into the message (or a shared pool) would retain megabytes. */
  read(collection: CollectionId, key: ObjectKey, kv: KeyValue): StoredEntry | UnreadableEntry {
    const entry = this.readLoose(collection, key, kv);
    if (entry instanceof StoredEntry) entry.settle();
    return entry;
  }

  /** The same in the memory of the message, where the caller does not leave it. */
  readLoose(collection: CollectionId, key: ObjectKey, kv: KeyValue): StoredEntry | UnreadableEntry {
    const modRevision = numberOf(kv.mod_revision);
    const opened = this.#openedOf(collection, kv);
    if ('problem' in opened) return this.#unreadable(collection, key, { modRevision, ...opened });
    const made = this.#entry({ collection, key, kv }, modRevision, opened);
    return made instanceof StoredEntry ? made : this.#unreadable(collection, key, { modRevision, ...made });
  }

  #openedOf(collection: CollectionId, kv: KeyValue): Opened {
    const { transformer } = this.#deps;
    if (transformer.isSealed(kv.value)) return this.#opened.get(kv) ?? { problem: 'it is not prepared' };
    try {
      return { value: kv.value, form: transformer.plainForm(collection) };
    } catch (error) {
      return { problem: messageOf(error) };
    }
  }

  #entry(
    { collection, key, kv }: { collection: CollectionId; key: ObjectKey; kv: KeyValue },
    modRevision: Revision,
    { value: whole, form }: OpenedValue,
  ): StoredEntry | { readonly problem: string } {
    const { mark, ...read } = unmarked(whole);
    const recoded = this.#recoding.recoded({ kv, collection, key, ...read });
    if (recoded instanceof DecodeError) return { problem: recoded.message };
    const parts = {
      collection,
      key,
      modRevision,
      bytes: recoded ?? read.value,
      mark,
      isRecoded: recoded !== undefined,
    };
    const entry = new StoredEntry({ ...parts, form });
    this.#deps.resting?.add(entry);
    return entry;
  }

  #unreadable(
    collection: CollectionId,
    key: ObjectKey,
    { modRevision, problem }: { modRevision: Revision; problem: string },
  ): UnreadableEntry {
    const { logger, metrics } = this.#deps;
    metrics.observeUnreadable?.(collection);
    this.#logged += 1;
    if (this.#logged <= maxLogged)
      logger.error({ collection, key, problem }, 'a stored value cannot be read');
    if (this.#logged === maxLogged) logger.error({}, 'further values that cannot be read are only counted');
    return new UnreadableEntry({ collection, key }, modRevision, problem);
  }

  async #openAll(kvs: readonly KeyValue[]): Promise<void> {
    const slice = new Slice();
    let pending: Promise<void>[] = [];
    for (const kv of kvs) {
      const opening = this.#open(kv);
      if (opening !== undefined) pending.push(opening);
      if (pending.length >= openAtOnce) {
        await Promise.all(pending);
        pending = [];
      }
      await slice.breathe();
    }
    await Promise.all(pending);
  }

  /** Never fails: what went wrong is what is read. */
  #open(kv: KeyValue): Promise<void> | undefined {
    const { keys, transformer } = this.#deps;
    const address = keys.parse(kv.key);
    if (address === undefined || address.key === '') return undefined;
    const keep = (opened: Opened): void => {
      this.#opened.set(kv, 'value' in opened && !isUtf8(opened.value) ? damaged : opened);
    };
    const fail = (error: unknown): void => keep({ problem: messageOf(error) });
    try {
      const opened = transformer.open(address.collection, kv.key, kv.value);
      if (opened instanceof Promise) return opened.then(keep, fail);
      keep(opened);
    } catch (error) {
      fail(error);
    }
    return undefined;
  }
}

function unmarked(whole: Buffer): { readonly mark: WriteMark } & Pick<ReadValue, 'value' | 'isOwn'> {
  const mark = markOf(whole);
  return { mark, value: withoutMark(whole, mark), isOwn: mark !== 0 };
}
