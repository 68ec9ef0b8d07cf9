/** PodSchedulingContext, `PodScheduling` in release 1.26: how the scheduler and drivers find a node for a pod with claims (until 1.31). */
import type { FieldError } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { ageColumn, column, nameColumn } from '../columns/columns.ts';
import {
  defineResource,
  dropStatus,
  keepAllButStatus,
  keepStatus,
  statusSubresource,
  type Stored,
} from '../define.ts';
import type { ResourceDefinition, ResourceVersionDefinition } from '../types.ts';
import { dns1123Subdomain, nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import { each, obeys, repeatedNames } from '../validation/rules.ts';
import { nodesErrors } from './former-rules.ts';
import type { PodSchedulingContext as ContextFields } from './v1alpha2.types.ts';

type PodSchedulingContext = Stored<ContextFields>;

/** Of nodes in each list. */
const maxNodes = 128;

function validate({ spec }: PodSchedulingContext): FieldError[] {
  const at = FieldPath.of('spec');
  const { selectedNode, potentialNodes } = spec ?? {};
  return [
    ...(selectedNode ? obeys(dns1123Subdomain)(selectedNode, at.child('selectedNode')) : []),
    ...nodesErrors(potentialNodes, maxNodes, at.child('potentialNodes')),
  ];
}

function validateStatus({ status }: PodSchedulingContext): FieldError[] {
  const at = FieldPath.of('status').child('resourceClaims');
  return [
    ...each(status?.resourceClaims, at, ({ unsuitableNodes }, p) =>
      nodesErrors(unsuitableNodes, maxNodes, p.child('unsuitableNodes')),
    ),
    ...repeatedNames(status?.resourceClaims, at),
  ];
}

function define(
  kind: string,
  plural: string,
  versions: readonly ResourceVersionDefinition[],
): ResourceDefinition {
  return defineResource<PodSchedulingContext>({
    kind,
    plural,
    namespaced: true,
    // The last version is not known before its release.
    storageVersion: versions.at(-1)?.version ?? '',
    versions,
    validateName: nameIsDns1123Subdomain,
    strategy: { prepareForCreate: dropStatus, prepareForUpdate: keepStatus, validate },
    subresources: [
      statusSubresource<PodSchedulingContext>({
        prepareForUpdate: keepAllButStatus,
        validateUpdate: validateStatus,
      }),
    ],
    columns: [
      nameColumn,
      column<PodSchedulingContext>('SelectedNode', ({ spec }) => spec?.selectedNode ?? '', {
        description: 'The node for which claims are to be allocated.',
      }),
      ageColumn,
    ],
  });
}

export const podSchedulingContexts = define('PodSchedulingContext', 'podschedulingcontexts', [
  { version: 'v1alpha3', introducedIn: '1.31', removedIn: '1.32' },
  { version: 'v1alpha2', introducedIn: '1.27', removedIn: '1.31' },
]);

export const podSchedulings = define('PodScheduling', 'podschedulings', [
  { version: 'v1alpha1', introducedIn: '1.26', removedIn: '1.27' },
]);
