/** Texts of objects that lie behind each other in one buffer, as lists send them. */
import { FewATurn } from '../base/few-a-turn.ts';
import { sharedMemory } from '../base/own-memory.ts';
import type { PackRows } from './pack-rows.ts';

export interface PackedText {
  /** Takes the text out into memory of its own. */
  unpack(): void;
  /** The text lies in that pack from now on. */
  keepItem(pack: Pack, index: number): void;
}

/** Texts of a pack for which no object is kept; see storage/view/folded-entries.ts. */
export interface Folded {
  /** There is an object for each of them from now on, which has joined the pack. */
  unfold(): void;
}

/** Where texts lie behind each other. */
export interface PackedTexts {
  /** Each as an item of a list, with its resource version in place and a comma behind it. */
  readonly memory: Buffer;
  /** The members that all of them lack behind their opening brace; empty if they have all. */
  readonly head: Buffer;
  /** Where each ends in the memory; the next one begins behind a comma. */
  readonly ends: Uint32Array;
  /** What is known of the texts beside them. */
  readonly rows?: PackRows | undefined;
}

/** Fewer bytes stay object by object. */
export const leastPackBytes = 16 * 1024;

/** Texts of a pack move in a millisecond, and the changes of one moment may bring that to all packs of a collection. */
export const packMoves = new FewATurn(1);

interface Member {
  readonly text: PackedText;
  readonly index: number;
}

/**
 * Any text in the buffer keeps all of it in memory. Therefore, once less than half of it is used by the current state, its texts move
 * into smaller ones, in one of the next turns: what is packed holds no more than twice its own size for long. Those of earlier states,
 * which events may still have, move into one of their own, as they go at about the same time.
 *
 * A text knows its index only: a buffer of its own (104 bytes) and a place in a set (34) would be a fifth of what an object takes
 * beside its text. To give each text that is replaced memory of its own cost a fifth of following etcd, and as V8 counts such
 * memory, a full collection for each 64 MB.
 */
export class Pack {
  readonly memory: Buffer;
  readonly head: Buffer;
  readonly rows: PackRows | undefined;
  readonly ends: Uint32Array;
  /** Those of earlier states may be gone; those that are folded, too, have none here. */
  #members: (PackedText | WeakRef<PackedText> | undefined)[] = [];
  /** Members that are there. */
  #objects = 0;
  /** The trees that had them may be gone. */
  #folded: WeakRef<Folded>[] | undefined = undefined;
  /** Bytes of the current state. */
  #used = 0;
  #isMoving = false;

  constructor({ memory, head, ends, rows }: PackedTexts) {
    this.memory = memory;
    this.head = head;
    this.ends = ends;
    this.rows = rows;
  }

  /** The text lies in the buffer from now on. */
  join(member: PackedText, index: number): void {
    this.#members[index] = member;
    this.#objects += 1;
    this.#used += this.lengthOf(index) + 1;
  }

  /** The text lies elsewhere now. */
  leave(member: PackedText, index: number): void {
    const known = this.#members[index];
    if (member !== (known instanceof WeakRef ? known.deref() : known)) return;
    this.#members[index] = undefined;
    this.#objects -= 1;
    if (known === member) this.#lose(index);
  }

  /** The text is of an earlier state now; it stays as long as somebody has it. */
  pass(member: PackedText, index: number): void {
    if (this.#members[index] !== member) return;
    this.#members[index] = new WeakRef(member);
    this.#lose(index);
  }

  /** No object stands for these texts of the current state any more. @param range from, and behind the last one */
  fold([from, to]: readonly [number, number], folded: Folded): void {
    for (let i = from; i < to; i += 1) {
      if (this.#members[i] !== undefined) this.#objects -= 1;
      this.#members[i] = undefined;
    }
    if (this.#objects === 0) this.#members = [];
    (this.#folded ??= []).push(new WeakRef(folded));
  }

  /** An object stands for a text that was folded, unless another one does. */
  unfold(member: PackedText, index: number): void {
    if (this.#members[index] !== undefined) return;
    this.#members[index] = member;
    this.#objects += 1;
  }

  #lose(index: number): void {
    this.#used -= this.lengthOf(index) + 1;
    if (this.#isMoving || this.#used * 2 >= this.memory.length) return;
    this.#isMoving = true;
    packMoves.add(() => this.#moveAll());
  }

  #moveAll(): void {
    const folded = this.#folded ?? [];
    this.#folded = undefined;
    for (const texts of folded) texts.deref()?.unfold();
    const current: Member[] = [];
    const passed: Member[] = [];
    for (const [at, member] of this.#members.entries()) {
      const text = member instanceof WeakRef ? member.deref() : member;
      if (text !== undefined) (member === text ? current : passed).push({ text, index: at });
    }
    this.#members = [];
    this.#move(current);
    const left = this.#move(passed);
    if (left !== undefined) left.#members = [];
  }

  /** Into a pack of their own, which is given, if that is worth it. */
  #move(members: readonly Member[]): Pack | undefined {
    let bytes = 0;
    for (const { index } of members) bytes += this.lengthOf(index) + 1;
    if (bytes < leastPackBytes) {
      for (const { text } of members) text.unpack();
      return undefined;
    }
    const memory = sharedMemory(bytes);
    const ends = new Uint32Array(members.length);
    const pack = new Pack({ memory, head: this.head, ends });
    let at = 0;
    for (const [i, { text, index }] of members.entries()) {
      // With its comma.
      at += this.memory.copy(memory, at, this.startOf(index), this.endOf(index) + 1);
      ends[i] = at - 1;
      text.keepItem(pack, i);
    }
    return pack;
  }

  startOf(index: number): number {
    return index === 0 ? 0 : (this.ends[index - 1] ?? 0) + 1;
  }

  endOf(index: number): number {
    return this.ends[index] ?? 0;
  }

  /** Bytes of an item. */
  lengthOf(index: number): number {
    return this.endOf(index) - this.startOf(index);
  }

  /** An item, made on each call. */
  item(index: number): Buffer {
    return this.memory.subarray(this.startOf(index), this.endOf(index));
  }
}

/** A text and its place, if it has one. */
interface Placed {
  readonly pack?: Pack | undefined;
  readonly packedAt?: number;
}

/** Whether the text lies directly behind the other one, perhaps in another pack. */
export function isBehind(next: Placed, last: Placed): boolean {
  if (next.pack === undefined || last.pack === undefined) return false;
  if (next.pack !== last.pack && next.pack.memory.buffer !== last.pack.memory.buffer) return false;
  return startInMemory(next) === endInMemory(last) + 1;
}

/** Offset in the memory that the pack is a part of. */
export function startInMemory({ pack, packedAt = 0 }: Placed): number {
  return pack === undefined ? 0 : pack.memory.byteOffset + pack.startOf(packedAt);
}

export function endInMemory({ pack, packedAt = 0 }: Placed): number {
  return pack === undefined ? 0 : pack.memory.byteOffset + pack.endOf(packedAt);
}

const openingBrace = 0x7b;

/** An object that is packed. */
export interface PackedItem {
  readonly pack: Pack;
  readonly packedAt: number;
  /** Where the resource version stands in the whole object. */
  readonly versionAt: number;
  /** Of the stored text, in bytes. */
  readonly storedLength: number;
}

/** The stored text again. */
export function storedTextOf({ pack, packedAt, versionAt: offset, storedLength }: PackedItem): Buffer {
  const { memory, head } = pack;
  const [start, end] = [pack.startOf(packedAt), pack.endOf(packedAt)];
  const bytes = Buffer.allocUnsafe(storedLength);
  bytes[0] = openingBrace;
  head.copy(bytes, 1);
  memory.copy(bytes, 1 + head.length, start + 1, start + offset - head.length);
  memory.copy(bytes, offset, end - (storedLength - offset), end);
  return bytes;
}
