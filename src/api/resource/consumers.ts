/** Who uses a claim: each object once, by its resource, name and UID. */
import type { FieldError } from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';
import { each, need, repeated, type Maybe } from '../validation/rules.ts';
import { atMost } from './device-rules.ts';
import type { ResourceClaimConsumerReference } from './v1.types.ts';

/** @param max how many there may be at once */
export function consumerErrors(
  consumers: Maybe<readonly ResourceClaimConsumerReference[]>,
  max: number,
  at: FieldPath,
): FieldError[] {
  return [
    ...atMost(consumers, max, at),
    ...each(consumers, at, ({ resource, name, uid }, p) => [
      ...need(resource, p.child('resource')),
      ...need(name, p.child('name')),
      ...need(uid, p.child('uid')),
    ]),
    ...repeated(consumers, at, ({ uid }) => ({ value: uid, at: 'uid' })),
  ];
}
