/** LimitRange: bounds and defaults for requests and limits of pods, containers and claims of a namespace. */
import type { FieldError } from '../../meta/field-error.ts';
import { errorsOf, forbidden, invalid, required } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import type { ApiObject } from '../../meta/object.ts';
import { createdAtColumn, nameColumn } from '../columns/columns.ts';
import type { Stored } from '../define.ts';
import { defineResource } from '../define.ts';
import { nameIsDns1123Subdomain, qualifiedName } from '../validation/name-rules.ts';
import { compareQuantities, isQuantity, roundUpQuantities } from '../validation/quantities.ts';
import { each, invalidEach, need, own, repeated } from '../validation/rules.ts';
import type { LimitRangeItem, LimitRange as LimitRangeFields } from './v1.types.ts';

type LimitRange = Stored<LimitRangeFields>;

const listNames = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;
/** Each list's amounts must not exceed those of the lists that follow it here. */
const ascending = ['min', 'defaultRequest', 'default', 'max'] as const;
const words = { min: 'min', defaultRequest: 'default request', default: 'default', max: 'max' } as const;

/** Where only one bound is said, it also serves as default of containers. */
function applyDefaults(object: ApiObject): void {
  for (const item of (object as LimitRange).spec?.limits ?? []) {
    for (const list of listNames) {
      const amounts = item[list];
      if (amounts) roundUpQuantities(amounts);
    }
    if (item.type !== 'Container') continue;
    item.default = { ...item.max, ...item.default };
    item.defaultRequest = { ...item.min, ...item.default, ...item.defaultRequest };
  }
}

function validateItem(item: LimitRangeItem, path: FieldPath): FieldError[] {
  const names = [...new Set(listNames.flatMap((list) => Object.keys(item[list] ?? {})))].sort();
  return [
    ...need(item.type, path.child('type'), (type, at) => invalidEach(type, at, qualifiedName(type))),
    ...typeErrors(item, path),
    ...errorsOf(names, (name) => [
      ...listNames
        .filter((list) => Object.hasOwn(item[list] ?? {}, name))
        .flatMap((list) => invalidEach(name, path.child(list).key(name), qualifiedName(name))),
      ...orderErrors(item, name, path),
      ...ratioErrors(item, name, path),
    ]),
  ];
}

function typeErrors(item: LimitRangeItem, path: FieldPath): FieldError[] {
  if (item.type === 'Pod') {
    return (['default', 'defaultRequest'] as const)
      .filter((list) => Object.keys(item[list] ?? {}).length > 0)
      .map((list) => forbidden(path.child(list), "may not be specified when `type` is 'Pod'"));
  }
  return item.type === 'PersistentVolumeClaim' &&
    item.min?.['storage'] === undefined &&
    item.max?.['storage'] === undefined
    ? [required(path, 'either minimum or maximum storage value is required, but neither was provided')]
    : [];
}

function orderErrors(item: LimitRangeItem, name: string, path: FieldPath): FieldError[] {
  return ascending.flatMap((low, i) =>
    ascending.slice(i + 1).flatMap((high) => {
      const a = own(item[low], name);
      const b = own(item[high], name);
      if (
        a === undefined ||
        b === undefined ||
        !isQuantity(a) ||
        !isQuantity(b) ||
        compareQuantities(a, b) <= 0
      ) {
        return [];
      }
      const at = path.child(low).key(name);
      return [invalid(at, a, `${words[low]} value ${a} is greater than ${words[high]} value ${b}`)];
    }),
  );
}

function ratioErrors(item: LimitRangeItem, name: string, path: FieldPath): FieldError[] {
  const ratio = own(item.maxLimitRequestRatio, name);
  return ratio !== undefined && compareQuantities(ratio, '1') < 0
    ? [invalid(path.child('maxLimitRequestRatio').key(name), ratio, `ratio ${ratio} is less than 1`)]
    : [];
}

function validate({ spec }: LimitRange): FieldError[] {
  const path = FieldPath.of('spec').child('limits');
  return [
    ...each(spec?.limits, path, validateItem),
    ...repeated(spec?.limits, path, ({ type }) => ({ value: type, at: 'type' })),
  ];
}

export const limitRanges = defineResource<LimitRange>({
  kind: 'LimitRange',
  plural: 'limitranges',
  shortNames: ['limits'],
  namespaced: true,
  versions: [{ version: 'v1', applyDefaults }],
  validateName: nameIsDns1123Subdomain,
  strategy: { createOnUpdate: true, validate },
  columns: [nameColumn, createdAtColumn],
});
