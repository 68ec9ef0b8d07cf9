/** Expressions that choose devices (KEP-4381): `device.attributes['gpu.example.com'].model == 'a'`. */
import type { Environment } from '../check/environment.ts';
import { estimateCost } from '../cost/estimate.ts';
import { boolType, dynType, mapOf, opaque, stringType, type CelType } from '../language/types.ts';
import { environmentOf } from '../library/environments.ts';
import type { Program } from '../program.ts';

const domains = (values: CelType): CelType => mapOf(stringType, mapOf(stringType, values));

/** The first release that lets devices be shared. */
const sharingSince = 34;

const fields: ReadonlyMap<string, CelType> = new Map([
  ['driver', stringType],
  ['attributes', domains(dynType)],
  ['capacity', domains(opaque('Quantity'))],
]);

/** `device`, and `cel.bind`, with the libraries of a release. @param minor of the release */
export function deviceEnvironment(minor: number): Environment {
  const known = minor >= sharingSince ? new Map([...fields, ['allowMultipleAllocations', boolType]]) : fields;
  const type: CelType = {
    ...{ kind: 'object', name: 'DRADevice' },
    fields: { fieldType: (name) => known.get(name) },
  };
  return environmentOf(minor, new Map([['device', type]]), { binds: true });
}

/** Most that an expression may cost by its estimate. */
export const deviceExpressionCost = 1_000_000;

const mostOfDevice = 32;
const longestName = 63;
const longestValue = 64;

/** Whether an expression may cost more than that, with devices as large as they may be. */
export function isTooComplex({ checked }: Program): boolean {
  return estimateCost(checked, sizeOf).max > deviceExpressionCost;
}

/** What a member of a device holds at most: facts by domain, texts. */
function sizeOf(path: readonly string[]): number | undefined {
  const depth = path.filter((step) => step === '@values').length;
  const last = path.at(-1);
  if (last === 'driver' || last === '@keys') return longestName;
  return depth > 1 ? longestValue : mostOfDevice;
}
