/**
 * Reads a bbolt database file without etcd: values of top-level buckets in the tree of the newest commit. Layout:
 * go.etcd.io/bbolt, `page.go`, `bucket.go` and `db.go`; numbers are little-endian on all supported platforms.
 */
import { open, type FileHandle } from 'node:fs/promises';

const pageHeader = 16;
const elementBytes = 16;
const bucketHeader = 16;
const metaBytes = 64;
const checkedBytes = 56;
const isBranchPage = 0x01;
const isLeafPage = 0x02;
const magic = 0xed0cdaed;
const version = 2;
const pageSizes = [1024, 2048, 4096, 8192, 16_384, 32_768, 65_536];
/** A deeper or larger tree means that the file is damaged. */
const mostLevels = 32;
const mostPageBytes = 256 * 1024 * 1024;

/** The file is damaged or not a database. */
export class BboltError extends Error {}

export interface BboltItem {
  readonly key: Buffer;
  readonly value: Buffer;
  /** Offset of the value in the file. */
  readonly at: number;
}

interface Meta {
  readonly pageSize: number;
  readonly root: number;
  /** Pages in use; free ones among them count, later ones do not exist. */
  readonly pages: number;
  readonly transaction: bigint;
}

interface Page {
  readonly bytes: Buffer;
  readonly at: number;
}

export class BboltFile {
  readonly #handle: FileHandle;
  readonly #meta: Meta;

  private constructor(handle: FileHandle, meta: Meta) {
    this.#handle = handle;
    this.#meta = meta;
  }

  /**
   * Opens the newest commit; the caller closes it.
   * @throws BboltError if it is not a bbolt database, or the system error
   */
  static async open(path: string, access: 'r' | 'r+' = 'r'): Promise<BboltFile> {
    const handle = await open(path, access);
    try {
      return new BboltFile(handle, await newestMeta(handle));
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  get pageSize(): number {
    return this.#meta.pageSize;
  }

  /** The bytes that a whole file of this commit has at least: bbolt makes its file long enough before it commits. */
  get leastBytes(): number {
    return this.#meta.pages * this.#meta.pageSize;
  }

  /** The item of a bucket with this key. @throws BboltError */
  async find(bucket: string, key: string): Promise<BboltItem | undefined> {
    const wanted = Buffer.from(key);
    const found = await this.#seek(await this.#bucket(bucket), wanted);
    return found?.key.equals(wanted) === true ? found : undefined;
  }

  /** The item of a bucket with the greatest key. @throws BboltError */
  async last(bucket: string): Promise<BboltItem | undefined> {
    return this.#seek(await this.#bucket(bucket), undefined);
  }

  /** Overwrites a value by one of the same length, durably. */
  async overwrite(item: BboltItem, value: Buffer): Promise<void> {
    if (value.length !== item.value.length) throw new RangeError('a value keeps its length');
    await this.#handle.write(value, 0, value.length, item.at);
    await this.#handle.sync();
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  /** The root page of a top-level bucket; small buckets are inlined in the value of their parent. */
  async #bucket(name: string): Promise<Page | undefined> {
    const wanted = Buffer.from(name);
    const item = await this.#seek(await this.#page(this.#meta.root), wanted);
    if (item?.key.equals(wanted) !== true) return undefined;
    const root = safeNumber(numberAt(item.value, 0));
    if (root !== 0) return this.#page(root);
    return { bytes: item.value.subarray(bucketHeader), at: item.at + bucketHeader };
  }

  /** The item with the greatest key up to `wanted`, or of all keys if undefined. */
  async #seek(root: Page | undefined, wanted: Buffer | undefined): Promise<BboltItem | undefined> {
    let page = root;
    for (let level = 0; page !== undefined && level < mostLevels; level += 1) {
      const flags = page.bytes.readUInt16LE(8);
      const index = lastUpTo(page, flags, wanted);
      if (flags === isLeafPage) return index < 0 ? undefined : leafItem(page, index);
      if (flags !== isBranchPage) throw new BboltError(`page at ${String(page.at)} is of no known kind`);
      if (index < 0) return undefined;
      page = await this.#page(safeNumber(numberAt(page.bytes, pageHeader + index * elementBytes + 8)));
    }
    if (page !== undefined) throw new BboltError('its tree has no end');
    return undefined;
  }

  async #page(id: number): Promise<Page> {
    const { pageSize } = this.#meta;
    const at = id * pageSize;
    const head = await readExactly(this.#handle, at, pageHeader);
    const length = (head.readUInt32LE(12) + 1) * pageSize;
    if (length > mostPageBytes) throw new BboltError(`page ${String(id)} is too large`);
    return { bytes: await readExactly(this.#handle, at, length), at };
  }
}

/** Commits alternate between two meta pages; a torn one fails its checksum. */
async function newestMeta(handle: FileHandle): Promise<Meta> {
  const first = await metaAt(handle, 0);
  const sizes = first === undefined ? pageSizes : [first.pageSize];
  const seconds = await Promise.all(sizes.map((size) => metaAt(handle, size)));
  const metas = [first, ...seconds].filter((meta) => meta !== undefined);
  const newest = metas.sort((a, b) => Number(b.transaction - a.transaction))[0];
  if (newest === undefined) throw new BboltError('not a bbolt database');
  return newest;
}

/** undefined if there is no valid meta page. */
async function metaAt(handle: FileHandle, at: number): Promise<Meta | undefined> {
  const meta = await readExactly(handle, at + pageHeader, metaBytes).catch(() => undefined);
  if (meta?.readUInt32LE(0) !== magic || meta.readUInt32LE(4) !== version) return undefined;
  if (fnv1a(meta.subarray(0, checkedBytes)) !== meta.readBigUInt64LE(checkedBytes)) return undefined;
  const pageSize = meta.readUInt32LE(8);
  if (!pageSizes.includes(pageSize)) return undefined;
  const [root, pages] = [safeNumber(numberAt(meta, 16)), safeNumber(numberAt(meta, 40))];
  return { pageSize, root, pages, transaction: meta.readBigUInt64LE(48) };
}

function fnv1a(bytes: Buffer): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of bytes) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash;
}

/** Index of the last element with a key up to `wanted`; -1 if there is none. */
function lastUpTo(page: Page, flags: number, wanted: Buffer | undefined): number {
  let low = 0;
  let high = page.bytes.readUInt16LE(10);
  if (wanted === undefined) return high - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keyAt(page, flags, middle).compare(wanted) <= 0) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function keyAt(page: Page, flags: number, index: number): Buffer {
  const element = pageHeader + index * elementBytes;
  const skipped = flags === isLeafPage ? 4 : 0;
  const at = element + page.bytes.readUInt32LE(element + skipped);
  return slice(page.bytes, at, page.bytes.readUInt32LE(element + skipped + 4));
}

function leafItem(page: Page, index: number): BboltItem {
  const element = pageHeader + index * elementBytes;
  const at = element + page.bytes.readUInt32LE(element + 4);
  const keyLength = page.bytes.readUInt32LE(element + 8);
  const value = slice(page.bytes, at + keyLength, page.bytes.readUInt32LE(element + 12));
  return { key: slice(page.bytes, at, keyLength), value, at: page.at + at + keyLength };
}

function slice(bytes: Buffer, at: number, length: number): Buffer {
  if (at + length > bytes.length) throw new BboltError('an element reaches beyond its page');
  return bytes.subarray(at, at + length);
}

function numberAt(bytes: Buffer, at: number): bigint {
  return bytes.readBigUInt64LE(at);
}

function safeNumber(value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new BboltError('a page number is out of range');
  return Number(value);
}

async function readExactly(handle: FileHandle, at: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, at);
  if (bytesRead < length) throw new BboltError('it ends in the middle of a page');
  return buffer;
}
