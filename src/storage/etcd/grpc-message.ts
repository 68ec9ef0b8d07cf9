/** gRPC message framing: a compression flag, the length and the message. */
const prefixLength = 5;
/** Maximum size of a message; etcd accepts only requests of a few megabytes, and no requested page is as large. */
export const mostMessageBytes = 256 * 1024 * 1024;
/** From this number on, pieces are copied so that they do not retain the received chunks. */
const manyPieces = 16;
/** Longer messages take memory only as they are received. */
const mostAtOnce = 8 * 1024 * 1024;
/** From this number on, pieces must have a minimum average length, as each takes memory. */
const mostPieces = 10_000;
const shortPiece = 256;

/** A message with its prefix. */
export function framed(message: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(prefixLength + message.length);
  bytes[0] = 0;
  bytes.writeUInt32BE(message.length, 1);
  bytes.set(message, prefixLength);
  return bytes;
}

/** Reassembles messages from pieces. A message that arrived in one piece is a view into it. */
export class MessageReader {
  #pieces: Buffer[] = [];
  #bytes = 0;
  /** Length of the next message with its prefix; the length of the prefix while it is incomplete. */
  #needed = prefixLength;
  /** A message of many pieces, as far as it was received, in memory for all of it. */
  #whole: Buffer | undefined;
  /** The data is malformed; nothing after it can be read. */
  isBroken = false;

  take(bytes: Buffer): void {
    if (this.isBroken) return;
    if (this.#whole !== undefined) {
      this.#fill(this.#whole, bytes);
      return;
    }
    const { length } = this.#pieces;
    this.#pieces.push(length < manyPieces ? bytes : Buffer.from(bytes));
    this.#bytes += bytes.length;
    if (length < manyPieces - 1) return;
    if (length === manyPieces - 1) this.#beginWhole();
    if (length < mostPieces || this.#bytes >= length * shortPiece) return;
    this.isBroken = true;
    this.#pieces = [];
  }

  /** Puts what was received of a message of a usual page into memory for all of it. Its length is what the other side says. */
  #beginWhole(): void {
    const length = this.announced + prefixLength;
    if (length <= this.#bytes || length > mostAtOnce || this.#bytes < prefixLength) return;
    const pieces = this.#pieces;
    this.#whole = Buffer.allocUnsafeSlow(length);
    this.#pieces = [];
    this.#bytes = 0;
    for (const piece of pieces) this.#fill(this.#whole, piece);
  }

  #fill(whole: Buffer, bytes: Buffer): void {
    const taken = bytes.copy(whole, this.#bytes);
    this.#bytes += taken;
    if (this.#bytes < whole.length) return;
    this.#whole = undefined;
    this.#pieces = [whole];
    if (taken < bytes.length) this.take(bytes.subarray(taken));
  }

  /** Length of the next message by its prefix; 0 until the prefix is received. */
  get announced(): number {
    if (this.#needed === prefixLength && this.#bytes >= prefixLength)
      this.#needed += this.#joined().readUInt32BE(1);
    return this.#needed - prefixLength;
  }

  /** More data was received than the next message, whose prefix is known. */
  get hasSurplus(): boolean {
    return this.#bytes >= prefixLength && this.#bytes - prefixLength > this.announced;
  }

  /** The next complete message; undefined until it is received. */
  next(): Buffer | undefined {
    if (this.isBroken || this.#bytes < this.#needed) return undefined;
    const whole = this.#joined();
    this.isBroken = whole[0] !== 0;
    this.#needed = prefixLength + whole.readUInt32BE(1);
    if (this.isBroken || this.#bytes < this.#needed) return undefined;
    const end = this.#needed;
    this.#pieces = end < whole.length ? [whole.subarray(end)] : [];
    this.#bytes -= end;
    this.#needed = prefixLength;
    return whole.subarray(prefixLength, end);
  }

  /** The only message of a complete response; undefined if there is none or several. */
  only(): Buffer | undefined {
    const message = this.next();
    return this.#bytes === 0 ? message : undefined;
  }

  /** Joins the pieces once the prefix or the message is complete, so that a large one is copied once. */
  #joined(): Buffer {
    const [first, second] = this.#pieces;
    if (first !== undefined && second === undefined) return first;
    const whole = Buffer.concat(this.#pieces);
    this.#pieces = [whole];
    return whole;
  }
}
