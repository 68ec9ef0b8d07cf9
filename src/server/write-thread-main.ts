/** Entry point of a write thread; started by `src/write-threads/write-thread.ts`. */
import '../base/older-node.ts';
import { resolveOwnModules } from '../base/own-modules.ts';
import { keepCompiledCode, usePoolsOfWrites } from '../base/prepare-process.ts';

usePoolsOfWrites();
// A thread compiles its code anew otherwise, though the serving thread has: a third of its start, for which a write waits.
keepCompiledCode();
resolveOwnModules();

await import('./write-thread.ts');
