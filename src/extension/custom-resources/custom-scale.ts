/** The scale subresource of custom resources, whose fields are given by paths (`.spec.replicas`). */
import type { ScaleDefinition, SubresourceDefinition } from '../../api/types.ts';
import type { CustomResourceSubresourceScale as Scale } from '../../api/apiextensions/v1.types.ts';
import { asJson } from '../../meta/object.ts';
import type { CustomVersion } from './custom-version.ts';
import { numberAt, put, stepsOf, valueAt } from './replica-paths.ts';

export function customScale(version: CustomVersion, scale: Scale): SubresourceDefinition {
  return {
    name: 'scale',
    kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
    verbs: ['get', 'patch', 'update'],
    type: 'action',
    handler: 'scale',
    scale: scaleBy(scale),
    validateUpdate: (next, before, context) => version.validate(next, { before, context }),
    judge: (object, judged) => version.ruleErrors(object, judged),
  };
}

function scaleBy({ specReplicasPath, statusReplicasPath, labelSelectorPath }: Scale): ScaleDefinition {
  const [spec, status, selector] = [specReplicasPath, statusReplicasPath, labelSelectorPath].map(stepsOf);
  return {
    wanted: (object) => numberAt(object, spec),
    setWanted: (object, replicas) => {
      put(asJson(object), spec ?? [], replicas);
    },
    observed: (object) => numberAt(object, status),
    selector: (object) => {
      const value = valueAt(asJson(object), selector);
      return typeof value === 'string' ? value : '';
    },
  };
}
