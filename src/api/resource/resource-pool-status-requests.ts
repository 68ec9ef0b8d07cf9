/** ResourcePoolStatusRequest: asks how many devices of pools are in use. */
import { FieldPath } from '../../meta/field-path.ts';
import { ageColumn, nameColumn } from '../columns/columns.ts';
import {
  defineResource,
  dropStatus,
  keepAllButStatus,
  keepStatus,
  statusSubresource,
  type Stored,
} from '../define.ts';
import { nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import { unchanged } from '../validation/rules.ts';
import type { ResourcePoolStatusRequest as RequestFields } from './v1alpha3.types.ts';

type ResourcePoolStatusRequest = Stored<RequestFields>;

const path = FieldPath.of('spec');

export const resourcePoolStatusRequests = defineResource<ResourcePoolStatusRequest>({
  kind: 'ResourcePoolStatusRequest',
  plural: 'resourcepoolstatusrequests',
  namespaced: false,
  versions: [{ version: 'v1alpha3', introducedIn: '1.36', deprecatedIn: '1.39', removedIn: '1.42' }],
  validateName: nameIsDns1123Subdomain,
  strategy: {
    unconditionalUpdate: false,
    prepareForCreate: dropStatus,
    prepareForUpdate: keepStatus,
    validateUpdate: (next, current) => unchanged(next.spec, current.spec, path),
  },
  subresources: [
    statusSubresource<ResourcePoolStatusRequest>({
      prepareForUpdate: keepAllButStatus,
      // The answer is given once.
      validateUpdate: (next, current) =>
        current.status == null ? [] : unchanged(next.status, current.status, FieldPath.of('status')),
    }),
  ],
  columns: [nameColumn, ageColumn],
});
