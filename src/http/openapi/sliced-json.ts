/** Large documents as JSON text, member by member, with turns for others in between. */
import type { Slice } from '../../base/cooperate.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { isObject } from '../../base/json.ts';

/** Characters that are encoded at once: in about a tenth of a millisecond. */
const pieceLength = 64 * 1024;

/** The bytes of `JSON.stringify(document)`; members down to `depth` levels are written each on its own. */
export async function encodeSliced(document: JsonObject, depth: number, slice: Slice): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let text = '';
  for (const part of partsOf(document, depth)) {
    text += part;
    if (text.length < pieceLength && !slice.shouldYield()) continue;
    pieces.push(Buffer.from(text));
    text = '';
    await slice.breathe();
  }
  return Buffer.concat([...pieces, Buffer.from(text)]);
}

function* partsOf(value: JsonValue, depth: number): Iterable<string> {
  if (depth === 0 || !isObject(value)) {
    yield JSON.stringify(value);
    return;
  }
  let before = '{';
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    yield* partsOf(member, depth - 1);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}
