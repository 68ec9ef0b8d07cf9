/** Encrypted values become entries without holding the thread. */
import { systemClock } from '../../../../src/base/clock.ts';
import { DecodeError } from '../../../../src/codec/decode-error.ts';
import { Transformer } from '../../../../src/storage/encryption/transformer.ts';
import type { KeyValue } from '../../../../src/storage/etcd/message-types.ts';
import { KeySpace } from '../../../../src/storage/keys.ts';
import { EntryReader, UnreadableEntry } from '../../../../src/storage/view/entry-reader.ts';
import type { Recode } from '../../../../src/storage/options.ts';
import { countedTurns } from '../../../support/counted-turns.ts';
import { recordingLogger } from '../../../support/storage.ts';

const secrets = 'core/secrets';
const keys = new KeySpace('/registry');
const secret = Buffer.alloc(32, 'k').toString('base64');
const transformer = new Transformer(
  { clock: systemClock, word: 'k8s', metrics: {}, onRecovered: () => undefined },
  [{ resources: ['secrets'], providers: [{ kind: 'secretbox', keys: [{ name: 'key1', secret }] }] }],
);
const reader = new EntryReader({
  ...{ keys, transformer, metrics: {}, logger: recordingLogger() },
  recode: () => undefined,
});

function sealed(name: string, text: string): KeyValue {
  const key = keys.object(secrets, name);
  const value = transformer.seal(secrets, key, Buffer.from(text)) as Buffer;
  return { key, value, create_revision: 1, mod_revision: 7, version: 1 };
}

test('one value is decrypted at once', () => {
  const kv = sealed('ns/a', '"a"');
  expect(reader.prepare([kv])).toBeUndefined();
  const entry = reader.read(secrets, 'ns/a', kv);
  expect(entry).toMatchObject({ key: 'ns/a', modRevision: 7, isRecoded: false });
  expect(entry instanceof UnreadableEntry ? '' : entry.bytes.toString()).toBe('"a"');
});

test('values that were not prepared are not taken for text', () => {
  expect(reader.read(secrets, 'ns/a', sealed('ns/a', '"a"'))).toBeInstanceOf(UnreadableEntry);
});

/** Turns of the event loop that begin before the work ends. */
async function turnsOf(work: Promise<void> | undefined): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await work;
  isOver = true;
  return turns;
}

test('many values are decrypted in slices', async () => {
  const text = JSON.stringify('x'.repeat(20_000));
  const kvs = Array.from({ length: 1_000 }, (_, i) => sealed(`ns/${String(i)}`, text));
  // Slices are of some milliseconds, and all together take more than a hundred.
  expect(await turnsOf(reader.prepare(kvs))).toBeGreaterThan(2);
  for (const kv of [kvs[0], kvs[999]])
    expect(kv && reader.read(secrets, 'ns/a', kv)).not.toBeInstanceOf(UnreadableEntry);
});

describe('values that take steps to bring into the current form', () => {
  const turns = countedTurns();
  const plain = new Transformer(
    { clock: systemClock, word: 'k8s', metrics: {}, onRecovered: () => undefined },
    [],
  );
  const steps = 20;
  const large = Buffer.from(`"${'x'.repeat(100_000)}"`);

  function* inSteps(_collection: string, value: Buffer): Generator<void, Buffer | undefined, void> {
    if (value.length < 10) return undefined;
    for (let i = 0; i < steps; i += 1) {
      turns.step(2);
      yield;
    }
    if (value.includes('bad')) throw new DecodeError('it is bad');
    return Buffer.from('"done"');
  }

  function readerOf(): EntryReader {
    const atOnce = (): never => {
      throw new Error('a large value was recoded at once');
    };
    const recode: Recode = Object.assign(atOnce, { inSteps });
    return new EntryReader({ keys, transformer: plain, metrics: {}, logger: recordingLogger(), recode });
  }

  function stored(value: Buffer): KeyValue {
    return {
      ...{ key: keys.object('core/configmaps', 'ns/a'), value },
      ...{ create_revision: 1, mod_revision: 7, version: 1 },
    };
  }

  test('take them in turns before they are read', async () => {
    const [kvs, stepReader] = [[stored(large), stored(large)], readerOf()];
    await stepReader.prepare(kvs);
    expect(turns.most()).toBeGreaterThan(0);
    expect(turns.most()).toBeLessThan(8);
    for (const kv of kvs) {
      const entry = stepReader.read('core/configmaps', 'ns/a', kv);
      expect(entry instanceof UnreadableEntry ? '' : entry.bytes.toString()).toBe('"done"');
    }
  });

  test('are unreadable if a later step fails', async () => {
    const [kv, stepReader] = [stored(Buffer.concat([large, Buffer.from('bad')])), readerOf()];
    await stepReader.prepare([kv]);
    expect(stepReader.read('core/configmaps', 'ns/a', kv)).toMatchObject({ problem: 'it is bad' });
  });
});
