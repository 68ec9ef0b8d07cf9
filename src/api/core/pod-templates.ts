/** PodTemplate: a template of pods that stands alone. */
import { FieldPath } from '../../meta/field-path.ts';
import type { ApiObject } from '../../meta/object.ts';
import { column, labelsText, nameColumn } from '../columns/columns.ts';
import type { Stored } from '../define.ts';
import { defineResource } from '../define.ts';
import { nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import { applyPodSpecDefaults } from './pod/pod-defaults.ts';
import { dropDisabledFields } from './pod/gates.ts';
import type { ApiContext } from '../types.ts';
import { validatePodTemplate } from './pod/pod-spec.ts';
import { containerImages, containerNames } from './pod/template-columns.ts';
import type { PodTemplate as PodTemplateFields } from './v1.types.ts';

type PodTemplate = Stored<PodTemplateFields>;

function applyDefaults(object: ApiObject, context: ApiContext): void {
  const { template } = object as PodTemplate;
  if (template?.spec) applyPodSpecDefaults(template.spec, context);
}

export const podTemplates = defineResource<PodTemplate>({
  kind: 'PodTemplate',
  plural: 'podtemplates',
  namespaced: true,
  versions: [{ version: 'v1', applyDefaults }],
  validateName: nameIsDns1123Subdomain,
  strategy: {
    prepareForCreate: ({ template }, context) => {
      if (template?.spec) dropDisabledFields(template.spec, undefined, context);
    },
    prepareForUpdate: (next, current, context) => {
      if (next.template?.spec) dropDisabledFields(next.template.spec, current.template?.spec, context);
    },
    validate: ({ template }, context) =>
      validatePodTemplate(template ?? {}, FieldPath.of('template'), context),
    podOf: ({ template }) => ({ ...template, path: FieldPath.of('template') }),
    deleteReturns: 'object',
  },
  columns: [
    nameColumn,
    column<PodTemplate>('Containers', ({ template }) => containerNames(template), {
      description: 'Containers of a pod.',
    }),
    column<PodTemplate>('Images', ({ template }) => containerImages(template), {
      description: 'Images of the containers.',
    }),
    column<PodTemplate>('Pod Labels', ({ template }) => labelsText(template?.metadata?.labels), {
      description: 'Labels of a pod.',
    }),
  ],
});
