/** Header blocks, which may continue in further frames (RFC 9113, sections 6.2 and 6.10). */
import { flag, frameType, type FrameHead } from './frames.ts';
import { PeerError } from './peer-error.ts';

/** Maximum bytes of the headers of a response. */
const mostBytes = 64 * 1024;
/** Maximum frames of a block; empty ones count too. */
const mostFrames = 64;

interface Begun {
  readonly head: FrameHead;
  readonly parts: Buffer[];
  bytes: number;
}

/** A complete block and its first frame. */
export interface HeaderBlock {
  readonly head: FrameHead;
  readonly block: Buffer;
}

export class HeaderBlocks {
  #begun: Begun | undefined;

  /** @throws Error if a block is interrupted by another frame */
  assertNotWithin(type: number): void {
    if (this.#begun !== undefined && type !== frameType.continuation)
      throw new PeerError('protocol', 'headers are interrupted');
  }

  /**
   * Takes a HEADERS frame; undefined if its block continues.
   * @throws Error if it is malformed
   */
  begin(head: FrameHead, payload: Buffer): HeaderBlock | undefined {
    const block = withoutPriority(head, withoutPadding(head, payload));
    if ((head.flags & flag.endHeaders) !== 0) return { head, block };
    this.#begun = { head, parts: [Buffer.from(block)], bytes: block.length };
    return undefined;
  }

  /**
   * Takes a CONTINUATION frame.
   * @throws Error if no block is open or it is too large
   */
  goOn({ flags, stream }: FrameHead, payload: Buffer): HeaderBlock | undefined {
    const begun = this.#begun;
    if (begun?.head.stream !== stream) throw new PeerError('protocol', 'CONTINUATION without HEADERS');
    begun.parts.push(Buffer.from(payload));
    begun.bytes += payload.length;
    if (begun.bytes > mostBytes) throw new PeerError('enhanceYourCalm', 'headers are too large');
    if (begun.parts.length > mostFrames)
      throw new PeerError('enhanceYourCalm', 'headers come in too many frames');
    if ((flags & flag.endHeaders) === 0) return undefined;
    this.#begun = undefined;
    return { head: begun.head, block: Buffer.concat(begun.parts) };
  }
}

/** @throws Error if the padding exceeds the payload */
export function withoutPadding({ flags }: FrameHead, payload: Buffer): Buffer {
  if ((flags & flag.padded) === 0) return payload;
  const padding = payload[0] ?? 0;
  if (padding >= payload.length) throw new PeerError('protocol', 'a frame has more padding than bytes');
  return payload.subarray(1, payload.length - padding);
}

function withoutPriority({ flags }: FrameHead, payload: Buffer): Buffer {
  return (flags & flag.priority) === 0 ? payload : payload.subarray(5);
}
