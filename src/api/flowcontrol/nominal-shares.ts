/** From v1beta3 on the shares of a level are called nominal, for others may borrow them (KEP-1040). */
import { isObject, type JsonObject } from '../../base/json.ts';
import type { ResourceVersionDefinition } from '../types.ts';

const versions: ReadonlySet<string> = new Set(['v1', 'v1beta3']);

/** Whether a version has the later word. */
export function hasNominalShares(version: string): boolean {
  return versions.has(version);
}

/** Between the two words. */
export const nominalShares: Required<Pick<ResourceVersionDefinition, 'toStorage' | 'fromStorage'>> = {
  toStorage: (object) => renamed(object, 'nominalConcurrencyShares', 'assuredConcurrencyShares'),
  fromStorage: (object) => renamed(object, 'assuredConcurrencyShares', 'nominalConcurrencyShares'),
};

function renamed(object: JsonObject, from: string, to: string): JsonObject {
  const { spec } = object;
  if (!isObject(spec) || !isObject(spec['limited'])) return object;
  const { [from]: shares, ...limited } = spec['limited'];
  return {
    ...object,
    spec: { ...spec, limited: { ...(shares !== undefined && { [to]: shares }), ...limited } },
  };
}
