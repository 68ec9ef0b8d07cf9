/** Initialization of every process of the service. */
import { mkdirSync } from 'node:fs';
import module from 'node:module';
import { dirname, join } from 'node:path';
import { resolveOwnModules } from './own-modules.ts';

/** Where compiled code is kept. Beside the program: in the temporary folder of the system, other users could plant code. */
export const compiledCode = join(import.meta.dirname, '..', '..', '.orch', 'compile-cache');

/** Would switch off the verification of all servers that this process connects to: etcd, webhooks, aggregated APIs. */
const noVerification = 'NODE_TLS_REJECT_UNAUTHORIZED';

/**
 * Signals that mean nothing here. At SIGUSR1 Node would open its inspector to every user of the machine, unless it has
 * --disable-sigusr1. At the others it would end at once, and the service with it: HAProxy reloads at SIGUSR2, and programs
 * that are written in Go, as etcd is, live through the rest.
 */
const ofOthers = [
  'SIGUSR1',
  'SIGUSR2',
  'SIGALRM',
  'SIGVTALRM',
  'SIGPROF',
  'SIGIO',
  'SIGPWR',
  'SIGXCPU',
] as const;

/** Enables the compile cache, shortens the way to modules, sets the buffer pool size, keeps Node's inspector closed, ignores signals that are for other programs, and lets no variable switch off TLS verification. */
export function prepareProcess(): void {
  usePoolsOfWrites();
  // Flags say per server whether it is verified; threads and workers get the environment of this process.
  Reflect.deleteProperty(process.env, noVerification);
  keepCompiledCode();
  resolveOwnModules();
  for (const name of ofOthers) process.on(name, () => undefined);
}

/** Sets the size of the pools of short buffers of this thread. */
export function usePoolsOfWrites(): void {
  // What one write needs of short buffers lives as long as its transaction, and each piece keeps alive what it was cut
  // from: with Node's own 64 KB there were 57 KB of external memory a write that only a full collection frees, one in
  // 1,000 writes. With this, one in 3,000: a create takes 15 % less processor time, a replace 10 %, an apply 14 %.
  Buffer.poolSize = 8 * 1024;
}

/** Makes this thread find its code compiled the next time. */
export function keepCompiledCode(): void {
  createPrivateFolder(dirname(compiledCode));
  // Node 20 has none.
  (module as Partial<typeof module>).enableCompileCache?.(compiledCode);
}

/** Writes what was compiled so far, for a thread that ends with its process and not by itself. */
export function storeCompiledCode(): void {
  (module as Partial<typeof module>).flushCompileCache?.();
}

/** Data and keys may come to lie in it. Where it cannot be created (a read-only image), there is no cache. */
function createPrivateFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch {
    return;
  }
}
