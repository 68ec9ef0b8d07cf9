/** A filter of the chain: looks at the context, lets the request pass, or refuses it by throwing a StatusError. */
import type { RequestContext } from '../context.ts';

/** Not `async` where the answer is ready at once: the chain awaits only what is a promise. */
export type Step = (context: RequestContext) => void | Promise<void>;
