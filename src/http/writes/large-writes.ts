/** The way of large writes beside the serving thread. */
import type { RequestScope } from '../../registry/types.ts';
import type { WriteAnswer, WriteRequest } from './write-request.ts';

/** Carries out writes that would hold the serving thread for too long. */
export interface LargeWrites {
  /** Whether the body, or the object that is written, is large. */
  takes(write: WriteRequest, scope: RequestScope): boolean;
  /** @throws StatusError as the write does; 413 when it needs more memory or time than a write may */
  perform(write: WriteRequest, scope: RequestScope): Promise<WriteAnswer>;
  /** The same of a write that only webhooks make large. */
  performGrown(write: WriteRequest, scope: RequestScope): Promise<WriteAnswer>;
}
