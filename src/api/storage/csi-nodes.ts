/** CSINode: the storage drivers installed on the node of the same name. */
import type { FieldError } from '../../meta/field-error.ts';
import { duplicate, invalid, required } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { ageColumn, column, nameColumn } from '../columns/columns.ts';
import { csiDriverName } from '../core/volume-sources.ts';
import type { Stored } from '../define.ts';
import { defineResource } from '../define.ts';
import { nameIsDns1123Subdomain, qualifiedName } from '../validation/name-rules.ts';
import type { Maybe } from '../validation/rules.ts';
import {
  each,
  invalidEach,
  given,
  need,
  nonNegative,
  repeatedNames,
  unchanged,
} from '../validation/rules.ts';
import type { CSINodeDriver, CSINode as CSINodeFields } from './v1.types.ts';

type CSINode = Stored<CSINodeFields>;

const drivers = FieldPath.of('spec').child('drivers');
const nodeIdMaxLength = 192;

function validate({ spec }: CSINode): FieldError[] {
  return [...each(spec?.drivers, drivers, validateDriver), ...repeatedNames(spec?.drivers, drivers)];
}

function validateDriver(driver: CSINodeDriver, path: FieldPath): FieldError[] {
  return [
    ...need(driver.name, path.child('name'), csiDriverName),
    ...need(driver.nodeID, path.child('nodeID'), (id, at) =>
      id.length > nodeIdMaxLength
        ? [invalid(at, id, `must be ${String(nodeIdMaxLength)} characters or less`)]
        : [],
    ),
    ...given(driver.allocatable?.count, path.child('allocatable').child('count'), nonNegative),
    ...validateTopologyKeys(driver.topologyKeys, path.child('topologyKeys')),
  ];
}

function validateTopologyKeys(keys: Maybe<readonly string[]>, path: FieldPath): FieldError[] {
  const seen = new Set<string>();
  return each(keys, path, (key, at) => {
    if (key === '') return [required(at)];
    const repeated = seen.has(key) ? [duplicate(at, key)] : [];
    seen.add(key);
    return [...repeated, ...invalidEach(key, at, qualifiedName(key))];
  });
}

/** A driver comes and goes, but while it is there it stays as it is. */
function validateUpdate(next: CSINode, current: CSINode): FieldError[] {
  const before = new Map((current.spec?.drivers ?? []).map((driver) => [driver.name, driver]));
  return each(next.spec?.drivers, drivers, (driver, at) => {
    const old = before.get(driver.name);
    return old ? unchanged(driver, old, at) : [];
  });
}

export const csiNodes = defineResource<CSINode>({
  kind: 'CSINode',
  plural: 'csinodes',
  namespaced: false,
  versions: [
    { version: 'v1' },
    { version: 'v1beta1', deprecatedIn: '1.17', removedIn: '1.22', replacement: 'storage.{api}/v1 CSINode' },
  ],
  validateName: nameIsDns1123Subdomain,
  strategy: { unconditionalUpdate: false, validate, validateUpdate, deleteReturns: 'object' },
  columns: [
    nameColumn,
    column<CSINode>('Drivers', ({ spec }) => (spec?.drivers ?? []).length, {
      type: 'integer',
      description: 'Number of drivers.',
    }),
    ageColumn,
  ],
});
