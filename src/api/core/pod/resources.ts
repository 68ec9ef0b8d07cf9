/** What containers request and are limited to. */
import type { FieldError } from '../../../meta/field-error.ts';
import { forbidden, invalid, required } from '../../../meta/field-error.ts';
import type { FieldPath } from '../../../meta/field-path.ts';
import { qualifiedName } from '../../validation/name-rules.ts';
import { compareQuantities, isQuantity, isWhole, quantity } from '../../validation/quantities.ts';
import type { Maybe } from '../../validation/rules.ts';
import { allOf, eachEntry, invalidEach, own } from '../../validation/rules.ts';
import type { ResourceRequirements } from '../v1.types.ts';

type ResourceList = Maybe<Readonly<Record<string, string>>>;

const hugePages = 'hugepages-';

function isStandard(name: string): boolean {
  return name === 'cpu' || name === 'memory' || name === 'ephemeral-storage';
}

/** True for names that may be requested without being limited to the same amount. */
function allowsOvercommit(name: string): boolean {
  return isStandard(name) || (!name.includes('/') && !name.startsWith(hugePages));
}

/** A resource that containers may name: a standard one, huge pages, or one with a domain. */
function validateContainerResourceName(name: string, path: FieldPath): FieldError[] {
  if (isStandard(name)) return [];
  const shape = invalidEach(name, path, qualifiedName(name));
  if (name.includes('/')) {
    return name.startsWith('requests.')
      ? [...shape, invalid(path, name, "doesn't follow extended resource name standard")]
      : shape;
  }
  return name.startsWith(hugePages)
    ? shape
    : [...shape, invalid(path, name, 'must be a standard resource for containers')];
}

function validateAmount(name: string, amount: string, path: FieldPath): FieldError[] {
  const errors = quantity(amount, path);
  if (errors.length > 0 || allowsOvercommit(name) || isWhole(amount)) return errors;
  return [invalid(path, amount, 'must be an integer')];
}

function validateList(list: ResourceList, path: FieldPath): FieldError[] {
  return eachEntry(list, path, (name, amount, at) =>
    allOf(validateContainerResourceName(name, at), validateAmount(name, amount, at)),
  );
}

/** Requests stay within limits; huge pages come with memory or CPU. */
export function validateResources(resources: Maybe<ResourceRequirements>, path: FieldPath): FieldError[] {
  if (resources === undefined || resources === null) return [];
  const { limits, requests } = resources;
  const requestsPath = path.child('requests');
  return allOf(
    validateList(limits, path.child('limits')),
    validateList(requests, requestsPath),
    eachEntry(requests, requestsPath, (name, amount) =>
      overLimit(name, amount, own(limits, name), requestsPath),
    ),
    hasLonelyHugePages(limits, requests) ? [forbidden(path, 'HugePages require cpu or memory')] : [],
  );
}

function hasLonelyHugePages(...lists: readonly ResourceList[]): boolean {
  let requestsHugePages = false;
  for (const list of lists) {
    if (list === undefined || list === null) continue;
    for (const name of Object.keys(list)) {
      if (name === 'cpu' || name === 'memory') return false;
      if (name.startsWith(hugePages)) requestsHugePages = true;
    }
  }
  return requestsHugePages;
}

function overLimit(name: string, request: string, limit: string | undefined, path: FieldPath): FieldError[] {
  if (limit === undefined) {
    return allowsOvercommit(name)
      ? []
      : [required(path, 'Limit must be set for non overcommitable resources')];
  }
  if (!isQuantity(request) || !isQuantity(limit)) return [];
  const order = compareQuantities(request, limit);
  if (order !== 0 && !allowsOvercommit(name))
    return [invalid(path, request, `must be equal to ${name} limit`)];
  return order > 0 ? [invalid(path, request, `must be less than or equal to ${name} limit`)] : [];
}

/** The extra that a runtime costs, judged like limits. */
export function validateOverhead(overhead: ResourceList, path: FieldPath): FieldError[] {
  return validateList(overhead, path);
}
