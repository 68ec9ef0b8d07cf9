/**
 * Encryption at rest in a world, and the change of its key while everything else happens:
 *
 *   documented  the new key is added as the second on all replicas, becomes the first on all, everything stored otherwise
 *               is replaced, and the old key is removed (storage/README.md): no reader ever lacks a key
 *   careless    each replica writes with the new key as soon as it has it, while others cannot decrypt it yet
 */
import { Transformer } from '../../../src/storage/encryption/transformer.ts';
import type { EncryptionProvider, EncryptionRule } from '../../../src/storage/encryption/rules.ts';
import type { EncryptionOptions } from '../../../src/storage/options.ts';
import type { CollectionId } from '../../../src/storage/types.ts';
import type { SeededRandom } from './seeded-random.ts';
import { systemClock } from '../../../src/base/clock.ts';
import type { SimulatedReplica, World } from './world.ts';

export interface EncryptionPlan {
  readonly cipher: 'aesgcm' | 'aescbc' | 'secretbox';
  /** Before, values were not encrypted. */
  readonly fromPlain: boolean;
  readonly isCareless: boolean;
}

const word = 'k8s';
/** Most virtual time in milliseconds until a replica has read a changed configuration. */
const longestReadMs = { documented: 3_000, careless: 8_000 };

export function someEncryption(random: SeededRandom): EncryptionPlan {
  return {
    cipher: random.pick(['aesgcm', 'aescbc', 'secretbox'] as const),
    fromPlain: random.chance(0.3),
    isCareless: random.chance(0.6),
  };
}

function keyOf(cipher: EncryptionPlan['cipher'], name: string): EncryptionProvider {
  return { kind: cipher, keys: [{ name, secret: Buffer.alloc(32, name).toString('base64') }] };
}

export class KeyRotation {
  readonly #world: World;
  readonly #random: SeededRandom;
  readonly #stages: readonly (readonly EncryptionProvider[])[];
  readonly #isCareless: boolean;
  /** The stage of each replica's configuration file. */
  readonly #stageOf = new Map<SimulatedReplica, number>();
  /** Knows all keys. */
  readonly #transformer: Transformer;

  constructor(world: World, plan: EncryptionPlan, random: SeededRandom) {
    const before: EncryptionProvider = plan.fromPlain ? { kind: 'identity' } : keyOf(plan.cipher, 'before');
    const next = keyOf(plan.cipher, 'next');
    this.#world = world;
    this.#random = random;
    this.#isCareless = plan.isCareless;
    this.#stages = [[before], [before, next], [next, before], [next]];
    const options = { clock: systemClock, word, metrics: {}, onRecovered: () => undefined };
    this.#transformer = new Transformer(options, rulesOf([next, before]));
  }

  optionsOf(replica: SimulatedReplica): EncryptionOptions {
    return { word, rules: this.#rulesOf(replica) };
  }

  /** The text of a value in etcd. */
  open(collection: CollectionId, key: Buffer, value: Buffer): Buffer {
    if (!this.#transformer.isSealed(value)) return value;
    const opened = this.#transformer.open(collection, key, value);
    if (opened instanceof Promise) throw new Error('values of a world are decrypted at once');
    return opened.value;
  }

  /** Resolves when all replicas write with the new key. */
  async change(): Promise<void> {
    await this.#world.wait(this.#random.between(0, 3_000), 'key change');
    if (!this.#isCareless) await this.#bringAllTo(1);
    await this.#bringAllTo(2);
  }

  /** Resolves when no replica has the old key any more. */
  async removeOldKey(): Promise<void> {
    await this.#bringAllTo(3);
  }

  async #bringAllTo(stage: number): Promise<void> {
    await Promise.all(this.#world.replicas.map((replica) => this.#bring(replica, stage)));
  }

  /** A process that stands still reads nothing; one that starts reads what is there. */
  async #bring(replica: SimulatedReplica, stage: number): Promise<void> {
    const world = this.#world;
    await world.wait(
      this.#random.between(0, longestReadMs[this.#isCareless ? 'careless' : 'documented']),
      'key change',
    );
    while (replica.isAlive && replica.life.process.state === 'frozen') await world.wait(100, 'key change');
    this.#stageOf.set(replica, stage);
    world.trace(`${replica.name} reads stage ${String(stage)} of the encryption configuration`);
    if (replica.isAlive) replica.life.storage.encryptBy(this.#rulesOf(replica));
  }

  #rulesOf(replica: SimulatedReplica): readonly EncryptionRule[] {
    return rulesOf(this.#stages[this.#stageOf.get(replica) ?? 0] ?? []);
  }
}

function rulesOf(providers: readonly EncryptionProvider[]): readonly EncryptionRule[] {
  return [{ resources: ['configmaps', 'secrets'], providers }];
}
