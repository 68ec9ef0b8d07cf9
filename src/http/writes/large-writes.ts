/** Runs large writes outside of the serving thread. */
import type { RequestScope } from '../../registry/types.ts';
import type { WriteAnswer, WriteRequest } from './write-request.ts';

/** Runs writes that would block the serving thread for too long. */
export interface LargeWrites {
  /** Whether the body or the existing object is large. */
  takes(write: WriteRequest, scope: RequestScope): boolean;
  /** @throws StatusError of the write; 413 if it exceeds the memory or time limit */
  perform(write: WriteRequest, scope: RequestScope): Promise<WriteAnswer>;
  /** Like `perform`, for a write that became large in mutating webhooks. */
  performGrown(write: WriteRequest, scope: RequestScope): Promise<WriteAnswer>;
}
