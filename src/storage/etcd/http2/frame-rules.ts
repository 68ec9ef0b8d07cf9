/** Validation of control frames (RFC 9113, sections 6.3 to 6.9). */
import { frameType, type FrameHead } from './frames.ts';
import { PeerError } from './peer-error.ts';

/** Maximum size of a window. */
const mostWindow = 2 ** 31 - 1;

const lengths: ReadonlyMap<number, (bytes: number) => boolean> = new Map([
  [frameType.priority, (bytes) => bytes === 5],
  [frameType.reset, (bytes) => bytes === 4],
  [frameType.settings, (bytes) => bytes % 6 === 0],
  [frameType.ping, (bytes) => bytes === 8],
  [frameType.goAway, (bytes) => bytes >= 8],
  [frameType.windowUpdate, (bytes) => bytes === 4],
] as const);

const ofConnection: ReadonlySet<number> = new Set([frameType.settings, frameType.ping, frameType.goAway]);

/** @throws PeerError */
export function assertWellFormed({ type, stream }: FrameHead, payload: Buffer): void {
  if (lengths.get(type)?.(payload.length) === false)
    throw new PeerError('frameSize', `a frame of type ${String(type)} has ${String(payload.length)} bytes`);
  if (ofConnection.has(type) && stream !== 0)
    throw new PeerError('protocol', `a frame of type ${String(type)} is about a stream`);
}

/**
 * The window after an update.
 * @throws PeerError if it is too large or the increment is 0
 */
export function widened(window: number, more: number): number {
  if (more <= 0) throw new PeerError('protocol', 'a window is to grow by nothing');
  return checkedWindow(window + more);
}

/**
 * The window, if it is not too large.
 * @throws PeerError
 */
export function checkedWindow(window: number): number {
  if (window > mostWindow) throw new PeerError('flowControl', 'a window is to grow beyond 2^31-1');
  return window;
}
