/** Labels of nodes of former days, of which clients are warned where objects choose nodes by them. */
import type { FieldPath } from '../../meta/field-path.ts';
import type { ApiContext } from '../types.ts';
import type { NodeSelectorTerm } from './v1.types.ts';

/** What has taken the place of a label of nodes; undefined if it is in use. */
export function labelMessage(key: string, { naming }: ApiContext): string | undefined {
  const domain = naming.labelDomain;
  const since = (release: string, instead: string): string =>
    `deprecated since v${release}; use "${instead}" instead`;
  switch (key) {
    case `beta.${domain}/arch`:
      return since('1.14', `${domain}/arch`);
    case `beta.${domain}/os`:
      return since('1.14', `${domain}/os`);
    case `failure-domain.beta.${domain}/region`:
      return since('1.17', `topology.${domain}/region`);
    case `failure-domain.beta.${domain}/zone`:
      return since('1.17', `topology.${domain}/zone`);
    case `beta.${domain}/instance-type`:
      return since('1.17', `node.${domain}/instance-type`);
    default:
      return undefined;
  }
}

/** Of keys that a term of a node selector asks for. */
export function termWarnings(
  { matchExpressions }: NodeSelectorTerm,
  at: FieldPath,
  context: ApiContext,
): string[] {
  return (matchExpressions ?? []).flatMap(({ key = '' }, i) =>
    keyWarning(key, at.child('matchExpressions').index(i).child('key'), context),
  );
}

/** Of a key at this path. */
export function keyWarning(key: string, at: FieldPath, context: ApiContext): string[] {
  const message = labelMessage(key, context);
  return message === undefined ? [] : [`${String(at)}: ${key} is ${message}`];
}
