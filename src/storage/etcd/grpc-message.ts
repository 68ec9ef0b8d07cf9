/** Messages of gRPC as they travel: a byte that tells whether they are compressed, their length, themselves. */
const prefixLength = 5;
/** Of one message; etcd itself takes no request of more than a few megabytes, and no page that is asked for is so large. */
export const mostMessageBytes = 256 * 1024 * 1024;
/** Pieces from this on do not keep the whole of what came with them. */
const manyPieces = 16;
/** From so many pieces on they must be of some length on the average: each takes memory of its own. */
const mostPieces = 10_000;
const shortPiece = 256;

/** A message with what goes in front of it. */
export function framed(message: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(prefixLength + message.length);
  bytes[0] = 0;
  bytes.writeUInt32BE(message.length, 1);
  bytes.set(message, prefixLength);
  return bytes;
}

/** Puts messages together from pieces. Messages are views into what came where that was in one piece. */
export class MessageReader {
  #pieces: Buffer[] = [];
  #bytes = 0;
  /** How many bytes the next message needs with its prefix; as many as that has while it is not whole. */
  #needed = prefixLength;
  /** Something came that is no message; nothing after it can be read. */
  isBroken = false;

  take(bytes: Buffer): void {
    if (this.isBroken) return;
    const { length } = this.#pieces;
    this.#pieces.push(length < manyPieces ? bytes : Buffer.from(bytes));
    this.#bytes += bytes.length;
    if (length < mostPieces || this.#bytes >= length * shortPiece) return;
    this.isBroken = true;
    this.#pieces = [];
  }

  /** How long the message that comes next is, as its prefix says; 0 until that has come. */
  get announced(): number {
    if (this.#needed === prefixLength && this.#bytes >= prefixLength)
      this.#needed += this.#joined().readUInt32BE(1);
    return this.#needed - prefixLength;
  }

  /** More came than the message that comes next, which is known by its prefix. */
  get hasSurplus(): boolean {
    return this.#bytes >= prefixLength && this.#bytes - prefixLength > this.announced;
  }

  /** The next whole message; undefined until more has come. */
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

  /** The only message of an answer that has come to its end; undefined when there is none, or more than that. */
  only(): Buffer | undefined {
    const message = this.next();
    return this.#bytes === 0 ? message : undefined;
  }

  /** Put together when the prefix or the message is known to be whole, so that a large one is copied once. */
  #joined(): Buffer {
    const [first, second] = this.#pieces;
    if (first !== undefined && second === undefined) return first;
    const whole = Buffer.concat(this.#pieces);
    this.#pieces = [whole];
    return whole;
  }
}
