/**
 * Timers and time as Node has them, not as a test may fake them later: waits of a control plane are over in the time of the
 * machine, like the service that they wait for.
 */
import { clearTimeout, setTimeout } from 'node:timers';

// Taken when this file is loaded: libraries that fake timers change the global object, and some of them that module, too.
export const [setRealTimeout, clearRealTimeout] = [setTimeout, clearTimeout];
export const realNow: () => number = Date.now;
