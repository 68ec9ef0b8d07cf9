/** A filter of the chain: passes the request on, or rejects it by throwing a StatusError. */
import type { RequestContext } from '../request-context.ts';

/** A step that completes synchronously should not be `async`: the chain awaits only promises. */
export type Step = (context: RequestContext) => void | Promise<void>;
