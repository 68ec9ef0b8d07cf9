/** Randomness as a dependency of a replica, so that a simulation with a seed repeats exactly. */
import { randomBytes, randomUUID } from 'node:crypto';

export interface Random {
  /** 0 ≤ x < 1; not for secrets. */
  number(): number;
  /** So many bytes, fit for secrets. */
  bytes(size: number): Buffer;
  /** A random UUID (RFC 9562, version 4). */
  uuid(): string;
}

/** So many letters of an alphabet, for names; not for secrets. */
export function randomLetters(random: Pick<Random, 'number'>, alphabet: string, length: number): string {
  let letters = '';
  for (let i = 0; i < length; i += 1) letters += alphabet.charAt(randomIndex(random, alphabet.length));
  return letters;
}

/** An index into so many items; not for secrets. */
export function randomIndex(random: Pick<Random, 'number'>, items: number): number {
  return Math.floor(random.number() * items);
}

/** The randomness of this machine. */
export const systemRandom: Random = {
  number: () => Math.random(),
  bytes: (size) => randomBytes(size),
  uuid: () => randomUUID(),
};
