/** Large texts: the same form as tweetnacl's, in slices. Small ones are in ciphers.test.ts. */
import nacl from 'tweetnacl';
import { Secretbox } from '../../../../src/storage/encryption/secretbox.ts';

const key = Buffer.from('0123456789abcdef0123456789abcdef');
const nonceBytes = 24;
const box = new Secretbox(key);
const textOf = (length: number): Buffer => Buffer.alloc(length, 'some text of a secret ');

const lengths = [65_536, 65_537, 65_568, 99_999, 100_000, 1_000_003];

test.each(lengths)('%d bytes: tweetnacl opens what it made, and the other way round', async (length) => {
  const text = textOf(length);
  const sealed = await box.encrypt(text);
  const nonce = sealed.subarray(0, nonceBytes);
  const opened = nacl.secretbox.open(sealed.subarray(nonceBytes), nonce, key);
  expect(opened !== false && text.equals(opened)).toBe(true);
  const theirs = Buffer.concat([nonce, nacl.secretbox(text, nonce, key)]);
  expect((await box.decrypt(theirs)).equals(text)).toBe(true);
});

test('any changed part of a large text is refused', async () => {
  const sealed = await box.encrypt(textOf(100_000));
  for (const at of [
    0,
    nonceBytes - 1,
    nonceBytes,
    nonceBytes + 15,
    nonceBytes + 16,
    70_000,
    sealed.length - 1,
  ]) {
    const changed = Buffer.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    await expect(box.decrypt(changed)).rejects.toThrow('does not match the key');
  }
  await expect(box.decrypt(sealed.subarray(0, -1))).rejects.toThrow('does not match the key');
});

test('a value that changes while it waits was copied', async () => {
  const sealed = await box.encrypt(textOf(100_000));
  const opening = box.decrypt(sealed);
  sealed.fill(0);
  expect((await opening).equals(textOf(100_000))).toBe(true);
});

/** Turns of the event loop while something goes on. */
async function turnsOf(work: Promise<unknown>): Promise<number> {
  let [turns, isDone] = [0, false];
  const count = (): void => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await work.finally(() => {
    isDone = true;
  });
  return turns;
}

test('the thread is given to others many times', async () => {
  const text = textOf(8_000_000);
  // A slice takes as much as fits into its time: in steps of their own these would be two or three turns.
  const least = 8;
  const sealed = await box.encrypt(text);
  expect(await turnsOf(Promise.resolve(box.encrypt(text)))).toBeGreaterThan(least);
  expect(await turnsOf(Promise.resolve(box.decrypt(sealed)))).toBeGreaterThan(least);
});
