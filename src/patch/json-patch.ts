/** JSON patch (RFC 6902). */
import type { JsonArray, JsonObject, JsonValue } from '../base/json.ts';
import { deepCopy, deepEqual, getOwn, isObject, setOwn } from '../base/json.ts';
import { measure } from '../base/measure.ts';
import { quoted, shortText } from '../base/short-text.ts';
import { countSteps, parsePointer } from './json-pointer.ts';
import { patchLimits } from './patch-limits.ts';
import { PatchError } from './patch-error.ts';

type Path = readonly string[];

export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: Path; readonly value: JsonValue }
  | { readonly op: 'remove'; readonly path: Path }
  | { readonly op: 'move' | 'copy'; readonly path: Path; readonly from: Path };

/**
 * Checks the form of a patch, so that it can be applied again after a conflict without a second reading.
 * @throws PatchError `malformed` when it is no list of operations, `tooLarge` when there are too many, or their
 *   paths have too many steps
 */
export function parseJsonPatch(patch: JsonValue): readonly JsonPatchOperation[] {
  if (!Array.isArray(patch)) throw new PatchError('malformed', 'a JSON patch must be a list of operations');
  if (patch.length > patchLimits.operations) {
    const limit = String(patchLimits.operations);
    throw new PatchError(
      'tooLarge',
      `a JSON patch may have ${limit} operations, not ${String(patch.length)}`,
    );
  }
  checkSteps(patch);
  return patch.map(parseOperation);
}

function checkSteps(patch: JsonArray): void {
  const steps = (entry: JsonValue): number =>
    isObject(entry) ? stepsOf(getOwn(entry, 'path')) + stepsOf(getOwn(entry, 'from')) : 0;
  if (patch.reduce((sum: number, entry) => sum + steps(entry), 0) <= patchLimits.steps) return;
  throw new PatchError(
    'tooLarge',
    `the paths of a JSON patch may have ${String(patchLimits.steps)} steps together`,
  );
}

function stepsOf(path: JsonValue | undefined): number {
  return typeof path === 'string' ? countSteps(path) : 0;
}

function parseOperation(entry: JsonValue, index: number): JsonPatchOperation {
  const where = `operation ${String(index)}`;
  if (!isObject(entry)) throw new PatchError('malformed', `${where} must be an object`);
  const op = getOwn(entry, 'op');
  const path = pointerOf(entry, 'path', where);
  if (op === 'add' || op === 'replace' || op === 'test') return { op, path, value: valueOf(entry, where) };
  if (op === 'remove') return { op, path };
  if (op === 'move' || op === 'copy') return { op, path, from: pointerOf(entry, 'from', where) };
  throw new PatchError('malformed', `${where}: op must be one of add, remove, replace, move, copy, test`);
}

function pointerOf(entry: JsonObject, name: string, where: string): Path {
  const text = getOwn(entry, name);
  if (typeof text !== 'string') throw new PatchError('malformed', `${where}: ${name} must be a JSON pointer`);
  return parsePointer(text);
}

function valueOf(entry: JsonObject, where: string): JsonValue {
  const value = getOwn(entry, 'value');
  if (value === undefined) throw new PatchError('malformed', `${where}: value is missing`);
  return value;
}

/** An operation `test` found another value. */
export class TestFailed extends PatchError {
  constructor(message: string) {
    super('unprocessable', message);
    this.name = 'TestFailed';
  }
}

/**
 * Applies all operations in order, or none. Neither argument is changed, and the result shares nothing with them.
 * Like the reference, `test` takes a missing member of an existing object for null. `noteCopied` is called before each
 * copy, with the weight of all so far; what it throws ends the patch.
 * @throws PatchError `unprocessable` naming the operation that failed, a TestFailed for a test; `tooLarge` beyond the limits
 */
export function applyJsonPatch(
  document: JsonValue,
  operations: readonly JsonPatchOperation[],
  noteCopied?: (weight: number) => void,
): JsonValue {
  const target = new Target(deepCopy(document), noteCopied);
  operations.forEach((operation, index) => {
    try {
      target.apply(operation);
    } catch (error) {
      if (!(error instanceof PatchError)) throw error;
      const message = `operation ${String(index)} (${operation.op}): ${error.message}`;
      throw error instanceof TestFailed ? new TestFailed(message) : new PatchError(error.kind, message);
    }
  });
  if (measure(target.root).depth > patchLimits.depth) {
    throw new PatchError('tooLarge', `the result is nested deeper than ${String(patchLimits.depth)} levels`);
  }
  return target.root;
}

/** The document being patched, with what the operations have cost so far. */
class Target {
  root: JsonValue;
  private copied = 0;
  private shifted = 0;
  private readonly noteCopied: ((weight: number) => void) | undefined;

  constructor(root: JsonValue, noteCopied: ((weight: number) => void) | undefined) {
    this.root = root;
    this.noteCopied = noteCopied;
  }

  apply(operation: JsonPatchOperation): void {
    switch (operation.op) {
      case 'add':
        this.add(operation.path, deepCopy(operation.value));
        break;
      case 'replace':
        this.replace(operation.path, deepCopy(operation.value));
        break;
      case 'test':
        this.test(operation.path, operation.value);
        break;
      case 'remove':
        this.remove(operation.path);
        break;
      case 'move':
        this.move(operation.from, operation.path);
        break;
      case 'copy':
        this.add(operation.path, this.copyOf(this.get(operation.from)));
    }
  }

  private get(path: Path): JsonValue {
    let value = this.root;
    path.forEach((step, index) => {
      const next = Array.isArray(value) ? value[indexOf(value, step)] : memberOf(value, step);
      if (next === undefined) throw missing(path.slice(0, index + 1));
      value = next;
    });
    return value;
  }

  /** The collection that holds the path's last step. */
  private parent(path: Path): { container: JsonArray | JsonObject; step: string } {
    const container = this.get(path.slice(0, -1));
    const step = path.at(-1) ?? '';
    if (Array.isArray(container) || isObject(container)) return { container, step };
    throw missing(path);
  }

  private add(path: Path, value: JsonValue): void {
    if (path.length === 0) {
      this.root = value;
      return;
    }
    const { container, step } = this.parent(path);
    if (!Array.isArray(container)) {
      setOwn(container, step, value);
      return;
    }
    const at = step === '-' ? container.length : parseIndex(step, container.length + 1);
    if (at > container.length) throw missing(path);
    this.shift(container.length - at);
    container.splice(at, 0, value);
  }

  private replace(path: Path, value: JsonValue): void {
    this.get(path);
    if (path.length === 0) {
      this.root = value;
      return;
    }
    const { container, step } = this.parent(path);
    if (Array.isArray(container)) container[indexOf(container, step)] = value;
    else setOwn(container, step, value);
  }

  private remove(path: Path): JsonValue {
    if (path.length === 0) throw new PatchError('unprocessable', 'the whole document cannot be removed');
    const value = this.get(path);
    const { container, step } = this.parent(path);
    if (Array.isArray(container)) {
      const at = indexOf(container, step);
      this.shift(container.length - at);
      container.splice(at, 1);
    } else {
      Reflect.deleteProperty(container, step);
    }
    return value;
  }

  private move(from: Path, path: Path): void {
    const isInside = path.length > from.length && from.every((step, index) => path[index] === step);
    if (isInside) throw new PatchError('unprocessable', `${show(from)} cannot be moved into itself`);
    const isSame = path.length === from.length && from.every((step, index) => path[index] === step);
    if (isSame) this.get(from);
    else this.add(path, this.remove(from));
  }

  private test(path: Path, expected: JsonValue): void {
    const { container, step } = path.length === 0 ? { container: undefined, step: '' } : this.parent(path);
    const actual = isObject(container) ? (getOwn(container, step) ?? null) : this.get(path);
    if (!deepEqual(actual, expected)) {
      throw new TestFailed(`the value at ${show(path)} is not the expected one`);
    }
  }

  private copyOf(value: JsonValue): JsonValue {
    const { weight, depth } = measure(value);
    this.copied += weight;
    if (this.copied > patchLimits.copiedWeight || depth > patchLimits.depth) {
      throw new PatchError('tooLarge', 'the patch copies more than is allowed');
    }
    this.noteCopied?.(this.copied);
    return deepCopy(value);
  }

  private shift(items: number): void {
    this.shifted += items;
    if (this.shifted > patchLimits.shiftedItems) {
      throw new PatchError('tooLarge', 'the patch shifts more list items than is allowed');
    }
  }
}

function memberOf(value: JsonValue, step: string): JsonValue | undefined {
  return isObject(value) ? getOwn(value, step) : undefined;
}

/** Beyond RFC 6902, and as in the reference, a negative index counts from the end: -1 is the last of `places`. */
function parseIndex(step: string, places: number): number {
  const index = /^(?:0|-?[1-9][0-9]{0,8})$/.test(step) ? Number(step) : NaN;
  if (index >= -places) return index < 0 ? index + places : index;
  throw new PatchError('unprocessable', `${quoted(step)} is not an index of a list`);
}

/** The index of an item that exists. */
function indexOf(list: JsonArray, step: string): number {
  const index = parseIndex(step, list.length);
  if (index >= list.length) throw new PatchError('unprocessable', `the list has no item ${step}`);
  return index;
}

function missing(path: Path): PatchError {
  return new PatchError('unprocessable', `nothing exists at ${show(path)}`);
}

function show(path: Path): string {
  const text = path.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  return JSON.stringify(shortText(text, 200));
}
