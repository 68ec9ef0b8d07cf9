/** What a fault did, in a line. */
import type { FaultStrike } from './fault-orders.ts';

/** `12:30:01.250 conflicts: update deployments.apps default/web of jane: another client wrote …` */
export function strikeText({ at, kind, did, user, verb, resource, namespace, name }: FaultStrike): string {
  const time = new Date(at).toISOString().slice(11, -1);
  const object = [namespace, name].filter(Boolean).join('/');
  const request = [verb, resource, object].filter(Boolean).join(' ');
  const whose = user === '' ? '' : ` of ${user}`;
  return `  ${time} ${kind}: ${request === '' ? '' : `${request}${whose}: `}${did}`;
}
