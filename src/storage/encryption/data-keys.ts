/** The data encryption keys (DEKs) that a KMS plugin decrypted, so that it is not asked for each value. */
import { LRUCache } from 'lru-cache';
import { Semaphore } from '../../base/semaphore.ts';
import { whenReady, type MaybePromise } from '../../base/maybe-promise.ts';
import type { Cipher } from './ciphers.ts';

/** Concurrent questions to a plugin. */
const maxQuestions = 32;

export class DataKeys {
  readonly #known: LRUCache<string, Cipher> | undefined;
  readonly #asked = new Map<string, Promise<Cipher>>();
  readonly #questions = new Semaphore(maxQuestions);
  readonly #onMiss: () => void;

  /** @param size of the cache; 0 or less: nothing is cached */
  constructor(size: number, onMiss: () => void) {
    this.#known = size > 0 ? new LRUCache({ max: size }) : undefined;
    this.#onMiss = onMiss;
  }

  add(id: string, cipher: Cipher): void {
    this.#known?.set(id, cipher);
  }

  /**
   * Decrypts with a key. If that fails, the key is asked for again by the next value: the plugin may have given a wrong
   * one. Throws or rejects as `ask` and `work` do.
   */
  decrypt(id: string, ask: () => Promise<Cipher>, work: (cipher: Cipher) => Buffer): MaybePromise<Buffer> {
    return whenReady(this.#get(id, ask), (cipher) => {
      try {
        return work(cipher);
      } catch (error) {
        this.#known?.delete(id);
        throw error;
      }
    });
  }

  /** The cipher of a key; values with the same key share a question. Rejects as `ask` does. */
  #get(id: string, ask: () => Promise<Cipher>): MaybePromise<Cipher> {
    const known = this.#known?.get(id);
    if (known !== undefined) return known;
    this.#onMiss();
    let asked = this.#asked.get(id);
    if (asked === undefined) {
      asked = this.#questions.use(ask).then((cipher) => {
        this.add(id, cipher);
        return cipher;
      });
      const forget = (): void => void this.#asked.delete(id);
      asked.then(forget, forget);
      this.#asked.set(id, asked);
    }
    return asked;
  }
}
