/**
 * The bindings of one resource. One of a megabyte has twenty thousand subjects: its grants are filed in slices, while none
 * of them counts, come into force together, and are taken out in slices after its end.
 */
import type { JsonObject } from '../../base/json.ts';
import type { ObjectKey } from '../../storage/types.ts';
import { atOnce } from '../../base/sliced-work.ts';
import { readBinding, type Binding } from './policy-objects.ts';
import type { SubjectScopes } from './subject-scopes.ts';

/** Takes all steps of long work in slices. */
export type TakeSteps = <T>(steps: Generator<void, T, void>) => Promise<T>;

/** Grants that are taken out at once. */
const fewGrants = 512;

export class BindingTable {
  readonly #scopes: SubjectScopes;
  readonly #takeSteps: TakeSteps;
  readonly #present = new Map<ObjectKey, Binding>();
  /** Being read: the newest of each. */
  readonly #coming = new Map<ObjectKey, Binding>();

  constructor(scopes: SubjectScopes, takeSteps: TakeSteps) {
    this.#scopes = scopes;
    this.#takeSteps = takeSteps;
  }

  /** Of all that are in force or will be. */
  *keys(): Generator<ObjectKey> {
    yield* this.#present.keys();
    yield* this.#coming.keys();
  }

  /** In one step, for those that are not large. */
  put(key: ObjectKey, object: JsonObject): void {
    this.remove(key);
    const binding = atOnce(readBinding(object));
    for (const grant of binding.grants) this.#scopes.add(grant);
    this.#present.set(key, binding);
    binding.isInForce = true;
  }

  /** Files the grants of a large one; what it gives puts it in force, unless it was changed or removed meanwhile. */
  async prepare(key: ObjectKey, object: JsonObject): Promise<() => void> {
    const binding = await this.#takeSteps(readBinding(object));
    this.#drop(this.#coming, key);
    this.#coming.set(key, binding);
    await this.#takeSteps(this.#file(key, binding));
    return () => {
      if (this.#coming.get(key) !== binding) return;
      this.#coming.delete(key);
      binding.isInForce = true;
      this.#drop(this.#present, key);
      this.#present.set(key, binding);
    };
  }

  /** At once: nothing that it grants counts any more. */
  remove(key: ObjectKey): void {
    this.#drop(this.#coming, key);
    this.#drop(this.#present, key);
  }

  *#file(key: ObjectKey, binding: Binding): Generator<void, void, void> {
    for (const grant of binding.grants) {
      if (this.#coming.get(key) !== binding) return;
      this.#scopes.add(grant);
      yield;
    }
  }

  #drop(bindings: Map<ObjectKey, Binding>, key: ObjectKey): void {
    const binding = bindings.get(key);
    if (!binding) return;
    bindings.delete(key);
    binding.isInForce = false;
    if (binding.grants.length <= fewGrants) atOnce(this.#takeOut(binding));
    else void this.#takeSteps(this.#takeOut(binding));
  }

  *#takeOut({ grants }: Binding): Generator<void, void, void> {
    for (const grant of grants) {
      this.#scopes.remove(grant);
      yield;
    }
  }
}
