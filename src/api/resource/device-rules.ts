/** Rules of claims of devices, of classes and of slices. */
import type { FieldError } from '../../meta/field-error.ts';
import { forbidden, invalid, required, tooLong, tooMany } from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';
import { dns1123Label, dns1123Subdomain } from '../validation/name-rules.ts';
import { each, need, obeys, positive, repeatedNames, type Maybe } from '../validation/rules.ts';
import type {
  DeviceClaim,
  DeviceConstraint,
  DeviceRequest,
  DeviceSelector,
  DeviceSubRequest,
  OpaqueDeviceConfiguration,
} from './v1.types.ts';

const maxItems = 32;
const maxAlternatives = 8;
const maxExpression = 10 * 1024;
const maxParameters = 10 * 1024;

/** A list has at most so many items. */
export function atMost(items: Maybe<readonly unknown[]>, max: number, at: FieldPath): FieldError[] {
  const { length } = items ?? [];
  return length > max ? [tooMany(at, length, max)] : [];
}

/** What is wanted of devices. */
export function validateClaimedDevices(devices: DeviceClaim, at: FieldPath): FieldError[] {
  const requests = at.child('requests');
  const config = at.child('config');
  return [
    ...atMost(devices.requests, maxItems, requests),
    ...each(devices.requests, requests, validateRequest),
    ...repeatedNames(devices.requests, requests),
    ...atMost(devices.constraints, maxItems, at.child('constraints')),
    ...each(devices.constraints, at.child('constraints'), validateConstraint),
    ...atMost(devices.config, maxItems, config),
    ...each(devices.config, config, ({ opaque }, p) => validateOpaque(opaque, p.child('opaque'))),
  ];
}

function validateRequest(request: DeviceRequest, at: FieldPath): FieldError[] {
  const { name, exactly, firstAvailable } = request;
  const alternatives = firstAvailable ?? [];
  const isEither = (exactly != null) !== alternatives.length > 0;
  return [
    ...need(name, at.child('name'), obeys(dns1123Label)),
    ...(isEither
      ? []
      : [invalid(at, name, 'exactly one of `exactly` or `firstAvailable` must be specified')]),
    ...(exactly ? validateWanted(exactly, at.child('exactly')) : []),
    ...atMost(alternatives, maxAlternatives, at.child('firstAvailable')),
    ...each(alternatives, at.child('firstAvailable'), (alternative, p) => [
      ...need(alternative.name, p.child('name'), obeys(dns1123Label)),
      ...validateWanted(alternative, p),
    ]),
    ...repeatedNames(alternatives, at.child('firstAvailable')),
  ];
}

type Wanted = Pick<DeviceSubRequest, 'deviceClassName' | 'selectors' | 'allocationMode' | 'count'>;

function validateWanted(
  { deviceClassName, selectors, allocationMode, count }: Wanted,
  at: FieldPath,
): FieldError[] {
  const counted = at.child('count');
  return [
    ...need(deviceClassName, at.child('deviceClassName'), obeys(dns1123Subdomain)),
    ...validateSelectors(selectors, at.child('selectors')),
    ...(allocationMode === 'ExactCount' ? positive(count ?? 0, counted) : []),
    ...(allocationMode === 'All' && (count ?? 0) !== 0
      ? [forbidden(counted, "must not be specified when allocationMode is 'All'")]
      : []),
  ];
}

/** Each has an expression of bounded length. */
export function validateSelectors(selectors: Maybe<readonly DeviceSelector[]>, at: FieldPath): FieldError[] {
  return [
    ...atMost(selectors, maxItems, at),
    ...each(selectors, at, ({ cel }, p) => {
      const expression = cel?.expression ?? '';
      if (cel == null) return [required(p.child('cel'))];
      const path = p.child('cel').child('expression');
      if (expression.length > maxExpression) return [tooLong(path, maxExpression)];
      return need(expression, path);
    }),
  ];
}

function validateConstraint(
  { matchAttribute, distinctAttribute }: DeviceConstraint,
  at: FieldPath,
): FieldError[] {
  return (matchAttribute == null) === (distinctAttribute == null)
    ? [invalid(at, null, 'exactly one of `matchAttribute` or `distinctAttribute` is required')]
    : [];
}

/** Settings of a driver: an object of bounded size. */
export function validateOpaque(opaque: Maybe<OpaqueDeviceConfiguration>, at: FieldPath): FieldError[] {
  if (opaque == null) return [required(at)];
  const { parameters } = opaque;
  const size = JSON.stringify(parameters ?? null).length;
  const path = at.child('parameters');
  return [
    ...(parameters == null ? [required(path)] : []),
    ...(size > maxParameters ? [invalid(path, size, `must be at most ${String(maxParameters)} bytes`)] : []),
  ];
}
