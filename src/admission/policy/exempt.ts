/** What no policy judges or changes: configurations of admission itself, and questions that store nothing. */
import type { AdmissionAttributes } from '../../registry/types.ts';
import { isConfiguration } from '../webhook/configurations.ts';

/** Reviews ask: a policy about all resources must not keep the parts of a cluster from asking. */
const reviews = new Map([
  ['authentication', ['tokenreviews', 'selfsubjectreviews']],
  [
    'authorization',
    [
      'localsubjectaccessreviews',
      'selfsubjectaccessreviews',
      'selfsubjectrulesreviews',
      'subjectaccessreviews',
    ],
  ],
]);

export function isExempt(attributes: AdmissionAttributes): boolean {
  const { gvr, naming } = attributes.scope.resource;
  const suffix = `.${naming.apiDomain}`;
  const group = gvr.group.endsWith(suffix) ? gvr.group.slice(0, -suffix.length) : '';
  return reviews.get(group)?.includes(gvr.resource) === true || isConfiguration(attributes);
}
