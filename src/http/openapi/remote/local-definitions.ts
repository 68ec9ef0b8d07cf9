/** Definitions of this service on their way to the thread that merges: there may be hundreds of megabytes of them. */
import { Slice } from '../../../base/cooperate.ts';

/** Copied in a fraction of a millisecond. */
const bytesAtOnce = 1024 * 1024;
const newline = 0x0a;

/**
 * Definitions one a line, each name once, about a megabyte at a time, in memory that may be given away.
 * @param groups encoded definitions (`"name":value`) by name; several have the same ones
 */
export async function* linesOf(
  groups: AsyncIterable<ReadonlyMap<string, Buffer>>,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const slice = new Slice();
  const sent = new Set<string>();
  let batch: Buffer[] = [];
  let bytes = 0;
  for await (const definitions of groups)
    for (const [name, definition] of definitions) {
      await slice.breathe();
      if (sent.has(name)) continue;
      sent.add(name);
      batch.push(definition);
      bytes += definition.length + 1;
      if (bytes < bytesAtOnce) continue;
      yield joined(batch, bytes);
      [batch, bytes] = [[], 0];
    }
  yield joined(batch, bytes);
}

function joined(definitions: readonly Buffer[], bytes: number): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(bytes);
  let at = 0;
  for (const definition of definitions) {
    all.set(definition, at);
    at += definition.length;
    all[at] = newline;
    at += 1;
  }
  return all;
}
